# Two commands: `make verilog P=4` and `make test`. Both set up .venv by themselves.

SHELL := /bin/sh
BIN := .venv/bin
# Python compiles each module once for the hundreds of processes of a test run, and writes nothing between the sources.
export PYTHONDONTWRITEBYTECODE :=
export PYTHONPYCACHEPREFIX := $(CURDIR)/build/pycache
# numpy prepares threads for products of matrices whenever it is imported, and nothing here has such products.
export OPENBLAS_NUM_THREADS := 1

# Names that a target takes. Their values come only from make's command line, not from the environment.
override NETWORK := TOPOLOGY P X Y N M SUPERNODE DIRECTIONS CONFIG
override SWITCH := HOSTS HOST_INTERFACE FLIT PACKET DEPTH CHANNELS
override LOGIC := BLOCK $(NETWORK) NODE REGISTER $(SWITCH)
override TAKES_verilog := $(LOGIC) OUT
override TAKES_synth := $(LOGIC) LIB CLOCK
override TAKES_report := CLOCK
override TAKES_fpga := $(LOGIC)
override TAKES_layout := $(LOGIC) OUT
override TAKES_topology := $(NETWORK) FORMAT
override TAKES_check := $(NETWORK)
override TAKES_test := WORKERS ARGS
override TAKES_regress := WORKERS ARGS
override TAKES_prove := WORKERS ARGS
override TAKES_fuzz := WORKERS ARGS
override TAKES_mutants := ARGS

override TAKEN := $(sort $(foreach goal,$(MAKECMDGOALS),$(TAKES_$(goal))))
override GIVEN := $(foreach name,$(.VARIABLES),$(if $(filter command,$(firstword $(origin $(name)))),$(name)))
override UNKNOWN := $(firstword $(filter-out $(TAKEN),$(GIVEN)))
$(if $(UNKNOWN),$(error $(UNKNOWN) is not a name that this target takes; it takes: $(or $(TAKEN),none)))

# .ci/call turns names and values into options. It reads the values as typed, so neither make nor a shell expands them.
$(foreach name,$(GIVEN),$(eval override export DSNSWITCH_MAKE_$(name) := $$(value $(name))))
unexport $(GIVEN)
override MAKEOVERRIDES :=
override export DSNSWITCH_MAKE := $(GIVEN)
override CALL := $(BIN)/python .ci/call

.DEFAULT_GOAL := help
.PHONY: help run-env synth-env test-env verilog topology check test regress prove fuzz mutants lint format stale schemas figures docs clean synth report fpga layout link network papers speed

help: ## list the targets
	@echo 'make TARGET [NAME=VALUE ...]'
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  \1\t\2/p' Makefile | expand -t 14
	@echo 'Names: P, or X and Y, or N and M; TOPOLOGY=torus:8x8x8, grid:8x8:k4x2 ...; SUPERNODE=k4x2|ring-M|coc-MSxMN DIRECTIONS=both|forward'
	@echo '       BLOCK=switch|route|... (dsnswitch blocks lists them) NODE=x,y,id (one switch) CONFIG=FILE OUT=FOLDER'
	@echo '       of switch and switch-core: FLIT=256 HOSTS=1 PACKET=33 DEPTH=66 CHANNELS=1; of switch: HOST_INTERFACE=flit|stream|axi'
	@echo '       of route, switch-core and switch: REGISTER=1; measuring: LIB=model|osu018 CLOCK=MHZ'
	@echo '       test, regress, prove: ARGS="options of pytest" WORKERS="-n 2"; mutants: ARGS="--help"'

run-env:
	@.ci/setup run

synth-env:
	@.ci/setup synth

test-env:
	@.ci/setup test

verilog: run-env ## write Verilog, manifest, SDC, .f and .core of a switch to build/verilog (P=4 for 16 x 16 x 8; BLOCK=route)
	@$(CALL) verilog

synth: synth-env ## area, levels, delay of the routing logic, or of BLOCK; LIB=osu018 in real cells; report in build/synth.json
	@mkdir -p build
	@$(CALL) synth --out build/synth.json

report: ## measure all figures of the report: page with tables and plots in build/report
	@.ci/setup report
	@$(CALL) report

figures: synth-env ## measure the changed blocks again, and write the figures into README and docs
	@$(CALL) figures

fpga: ## place and route a switch of four ports, or a BLOCK, on an ECP5: LUTs, RAM, Fmax (installs 200 MB)
	@.ci/setup fpga
	@$(CALL) fpga

layout: ## place and route the routing logic, or a small BLOCK, on OSU 0.18 um cells: delay and area with wires, DEF, GDS, pictures in build/layout
	@.ci/setup layout
	@$(CALL) layout

network: ## simulate the networks of docs/network.md under traffic, 24 minutes on two cores, and write their curves into the docs
	@.ci/setup sweep
	@$(BIN)/python -m dsnswitch.lab.network
	@$(BIN)/python -m dsnswitch.lab.regenerate

papers: ## measure the networks that the papers compare on a floor, and draw the papers' figures in build/papers
	@.ci/setup floor
	@$(BIN)/dsnswitch papers
	@$(BIN)/python -m dsnswitch.lab.regenerate

link: ## plots of the link analysis in build/link: BER against SNR, MTTFPA, Monte Carlo
	@.ci/setup report
	@$(BIN)/dsnswitch link plot

speed: test-env ## measure the speed of simulations against Verilator, and write the tables of docs/simulate.md (half an hour)
	@$(BIN)/dsnswitch speed --out docs/speed.json
	@$(BIN)/python -m dsnswitch.lab.regenerate

topology: run-env ## print the network's graph (FORMAT=edges|json|graphml|anynet|dot|svg)
	@$(CALL) topology

check: run-env ## check that every pair is delivered within the paper's bound
	@$(CALL) check

test: test-env ## the regression that CI runs
	@$(BIN)/ruff check . && $(BIN)/ruff format --check -q .
	@HYPOTHESIS_PROFILE=ci $(CALL) pytest

regress: test-env ## the exhaustive tier of simulations
	@HYPOTHESIS_PROFILE=ci $(CALL) pytest -m regress

prove: test-env ## SAT proofs
	@$(CALL) pytest -m prove

fuzz: test-env ## hostile files and command lines for hours; prints one seed of each failure
	@HYPOTHESIS_PROFILE=fuzz $(CALL) pytest tests/gen/cli/test_fuzz.py

mutants: test-env ## break the design in many ways, and count the faults that make test catches (ARGS="--sample 20 --under link")
	@$(CALL) mutants

lint: test-env ## ruff
	@$(BIN)/ruff check . && $(BIN)/ruff format --check .

format: test-env ## apply the fixes and the format of ruff
	@$(BIN)/ruff check --fix . && $(BIN)/ruff format .

stale: test-env ## name figures that are stale, and pages, generated files and budgets that are wrong (the latter fail)
	@$(CALL) figures --check

schemas: test-env ## write docs/*.schema.json, samples, pictures, and the recorded figures into the pages
	@$(BIN)/python -m dsnswitch.lab.regenerate

docs: ## build the documentation site in build/site/html; warnings and broken links are errors
	@.ci/setup docs
	@rm -rf build/site
	@$(BIN)/python -m dsnswitch.lab.site build/site
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict -f build/site/mkdocs.yml
	@echo 'wrote build/site/html/index.html'

clean: ## remove build/ and .venv/
	rm -rf build .venv
