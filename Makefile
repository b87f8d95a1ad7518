# Two commands: `make verilog P=4` and `make test`. Both set up .venv by themselves.

SHELL := /bin/sh
BIN := .venv/bin
export PYTHONDONTWRITEBYTECODE := 1

# Parameters of the main job; each becomes an option of `dsnswitch` when it is given.
flag = $(if $($(1)),$(2) '$($(1))')
NETWORK = $(call flag,TOPOLOGY,--topology) $(call flag,P,-p) $(call flag,X,-x) $(call flag,Y,-y) $(call flag,N,-n) \
	$(call flag,M,-m) $(call flag,SUPERNODE,--supernode) $(call flag,DIRECTIONS,--directions) $(call flag,CONFIG,--config)
OUT ?= build/verilog

# Tests run in two processes, a file in one of them.
WORKERS ?= -n 2 --dist loadfile

.DEFAULT_GOAL := help
.PHONY: help run-env test-env verilog topology check test regress prove fuzz lint format schemas clean synth report fpga link

help: ## list the targets
	@echo 'make TARGET [NAME=VALUE ...]'
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  \1\t\2/p' Makefile | expand -t 14
	@echo 'Names: P, or X and Y, or N and M; TOPOLOGY=grid|ring SUPERNODE=k4x2|ring-M|coc-MSxMN DIRECTIONS=both|forward'
	@echo '       NODE=x,y,id (specialised logic) REGISTER=1 CONFIG=FILE OUT=FOLDER LIB=model|osu018 CLOCK=MHZ'

run-env:
	@.ci/setup run

test-env:
	@.ci/setup test

verilog: run-env ## write the routing logic's Verilog, manifest, SDC, .f and .core to build/verilog (P=4 for 16 x 16 x 8)
	@$(BIN)/dsnswitch verilog $(NETWORK) $(call flag,NODE,--node) $(if $(REGISTER),--register) --out '$(OUT)'

synth: run-env ## area, levels, delay of the routing logic; LIB=osu018 in real cells; report in build/synth.json
	@mkdir -p build
	@$(BIN)/dsnswitch synth $(NETWORK) $(call flag,NODE,--node) $(if $(REGISTER),--register) $(call flag,LIB,--lib) \
		$(call flag,CLOCK,--clock) --out build/synth.json

report: ## measure everything: page with tables and plots in build/report (40 minutes)
	@.ci/setup report
	@$(BIN)/dsnswitch report $(call flag,CLOCK,--clock)

fpga: ## place and route the routing logic on an ECP5: LUTs, Fmax (installs 200 MB)
	@.ci/setup fpga
	@$(BIN)/dsnswitch fpga $(NETWORK) $(call flag,NODE,--node) $(if $(REGISTER),--register)

link: ## plots and tables of the link analysis in build/link: BER, SNR, MTTFPA, Monte Carlo
	@.ci/setup report
	@$(BIN)/dsnswitch link plot

topology: run-env ## print the network's graph (FORMAT=edges|json|graphml|anynet|dot|svg)
	@$(BIN)/dsnswitch topology $(NETWORK) $(call flag,FORMAT,--format)

check: run-env ## check that every pair is delivered within the paper's bound
	@$(BIN)/dsnswitch check $(NETWORK)

test: test-env ## the regression that CI runs, under 10 minutes on two cores
	@$(BIN)/ruff check . && $(BIN)/ruff format --check -q .
	@HYPOTHESIS_PROFILE=ci $(BIN)/python -m pytest $(WORKERS) $(ARGS)

regress: test-env ## the exhaustive tier of simulations
	@HYPOTHESIS_PROFILE=ci $(BIN)/python -m pytest -m 'regress' $(WORKERS) $(ARGS)

prove: test-env ## SAT proofs
	@$(BIN)/python -m pytest -m 'prove' $(WORKERS) $(ARGS)

fuzz: test-env ## hostile files and command lines for hours; one seed of what fails is printed
	@HYPOTHESIS_PROFILE=fuzz $(BIN)/python -m pytest $(WORKERS) tests/gen/test_fuzz.py $(ARGS)

lint: test-env ## ruff
	@$(BIN)/ruff check . && $(BIN)/ruff format --check .

format: test-env ## let ruff format the tree
	@$(BIN)/ruff check --fix . && $(BIN)/ruff format .

schemas: run-env ## write docs/*.schema.json and the samples under constraints/ anew
	@$(BIN)/python -m dsnswitch.gen.regenerate

clean: ## remove build/ and .venv/
	rm -rf build .venv
