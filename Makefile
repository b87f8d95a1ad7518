# Two commands: `make verilog P=4` and `make test`. Both set up .venv by themselves.

# The names of make's command line.
override GIVEN := $(foreach name,$(.VARIABLES),$(if $(filter command,$(firstword $(origin $(name)))),$(name)))
override SHELL := /bin/sh
override BIN := .venv/bin
# Python compiles each module once for the hundreds of processes of a test run, and writes nothing between the sources.
export PYTHONDONTWRITEBYTECODE :=
export PYTHONPYCACHEPREFIX := $(CURDIR)/build/pycache
# numpy prepares threads for products of matrices whenever it is imported, and nothing here has such products.
export OPENBLAS_NUM_THREADS := 1

# Targets that are commands of dsnswitch. Each takes every option of its command as a name: P=4 is --p 4. .ci/call checks them.
override COMMANDS := verilog synth fpga layout topology check
override TARGETS := $(COMMANDS) help run-env synth-env test-env test regress prove fuzz mutants lint format stale pages figures layouts docs clean link network opensm papers speed

# A goal that is no target, such as the path of a test, would be made after the others, or be a file that is up to date.
override nearest = $(shell $${PYTHON:-python3} -c 'import difflib, sys; print(*difflib.get_close_matches(sys.argv[1], sys.argv[2:], 1))' '$(subst ','\'',$(1))' $(TARGETS))
override hint = $(or $(addprefix did you mean make ,$(addsuffix ?,$(call nearest,$(1)))),make help lists the targets)
override WRONG := $(firstword $(filter-out $(TARGETS),$(MAKECMDGOALS)))
$(if $(WRONG),$(error $(WRONG) is no target: $(if $(findstring /,$(WRONG))$(wildcard $(WRONG)),make test takes paths of tests as ARGS='$(WRONG)',$(call hint,$(WRONG)))))

# Names that the other targets take. All values come only from make's command line, not from the environment.
override TAKES_test := WORKERS ARGS
override TAKES_regress := WORKERS ARGS
override TAKES_prove := WORKERS ARGS
override TAKES_fuzz := WORKERS ARGS
override TAKES_mutants := ARGS

override TAKEN := $(sort $(foreach goal,$(MAKECMDGOALS),$(TAKES_$(goal))))
override UNKNOWN := $(if $(filter $(COMMANDS),$(MAKECMDGOALS)),,$(firstword $(filter-out $(TAKEN),$(GIVEN))))
$(if $(MAKECMDGOALS),,$(if $(GIVEN),$(error a target is missing, such as make verilog $(firstword $(GIVEN))=...; make help lists the targets)))
$(if $(UNKNOWN),$(error $(UNKNOWN) is not a name that $(MAKECMDGOALS) takes; it takes: $(or $(TAKEN),none)))

# .ci/call turns names and values into options. It reads the values as typed, so neither make nor a shell expands them.
$(foreach name,$(GIVEN),$(eval override export DSNSWITCH_MAKE_$(name) := $$(value $(name))))
unexport $(GIVEN)
override MAKEOVERRIDES :=
override export DSNSWITCH_MAKE := $(GIVEN)
override export DSNSWITCH_TAKEN := $(TAKEN)
override export DSNSWITCH_COMMANDS := $(filter $(COMMANDS),$(MAKECMDGOALS))
override CALL := $(BIN)/python .ci/call
override TOOLS := $(BIN)/python -m tools

.DEFAULT_GOAL := help
.PHONY: $(TARGETS)

help: ## list the targets
	@echo 'make TARGET [NAME=VALUE ...]'
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  \1\t\2/p' Makefile | expand -t 14
	@echo 'Names of $(COMMANDS): all options of $(BIN)/dsnswitch TARGET, in capitals, such as'
	@echo '       P=3, or X=12 Y=10, or N=36; TOPOLOGY=torus:8x8x8 ($(BIN)/dsnswitch topologies lists all); CONFIG=FILE FOLDER=FOLDER'
	@echo '       BLOCK=route ($(BIN)/dsnswitch blocks lists all; $(BIN)/dsnswitch verilog --block NAME --help its options)'
	@echo '       of route: NODE=3,5,7 REGISTER=1; of switch: FLIT=64 HOSTS=2 HOST_INTERFACE=axi; of rs-encoder: CODE=rs-544-514'
	@echo 'Names of test, regress, prove: ARGS="options and paths of pytest" WORKERS="-n 2"; of mutants: ARGS="--help"'

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

figures: synth-env ## measure the changed blocks again, and write the figures into README and docs
	@$(TOOLS) figures

fpga: ## place and route a switch of four ports, or a BLOCK, on an ECP5: LUTs, RAM, Fmax (installs 200 MB)
	@.ci/setup fpga
	@$(CALL) fpga

layout: ## place and route the routing logic, or a small BLOCK, on OSU 0.18 um cells: delay and area with wires, DEF, GDS, pictures in build/layout
	@.ci/setup layout
	@$(CALL) layout

speed: test-env ## measure the speed of simulations against Verilator's instances of the same Verilog
	@$(TOOLS) speed

layouts: ## lay out the designs of docs/layout.md that have changed, and write their figures into the pages
	@.ci/setup layout
	@$(TOOLS) layouts

network: ## simulate the networks of docs/network.md under traffic, 90 minutes on two cores, and write their curves into the docs
	@.ci/setup sweep
	@$(TOOLS) network
	@$(TOOLS) pages

papers: ## measure the networks that the papers compare on a floor, and draw the papers' figures in build/papers
	@.ci/setup floor
	@$(TOOLS) papers
	@$(TOOLS) pages

opensm: test-env ## route networks with OpenSM on a simulated fabric and by turn classes, and write the figures into docs/tables.md
	@$(TOOLS) opensm
	@$(TOOLS) pages

link: ## plots of the link analysis in build/link: BER against SNR, MTTFPA, Monte Carlo
	@.ci/setup plot
	@$(BIN)/dsnswitch link plot

topology: run-env ## print the network's graph (FORMAT=edges|json|graphml|anynet|dot|svg)
	@$(CALL) topology

check: run-env ## check that every pair is delivered within the paper's bound
	@$(CALL) check

test: test-env ## the regression that CI runs
	@$(BIN)/ruff check . && $(BIN)/ruff format --check -q .
	@HYPOTHESIS_PROFILE=ci $(CALL) pytest

regress: test-env ## the exhaustive tier of simulations
	@HYPOTHESIS_PROFILE=ci $(CALL) pytest -m regress --timeout 7200

prove: test-env ## SAT proofs
	@$(CALL) pytest -m prove --timeout 7200

fuzz: test-env ## hostile files and command lines for hours; prints one seed of each failure
	@HYPOTHESIS_PROFILE=fuzz $(CALL) pytest --timeout 0 tests/gen/cli/test_fuzz.py

mutants: test-env ## break the design, one fault at a time, and name the faults that no test catches (ARGS="--under hdl/core --sample 50")
	@$(CALL) mutants

lint: test-env ## ruff, and mypy on the annotated interface
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy

format: test-env ## apply the fixes and the format of ruff
	@$(BIN)/ruff check --fix . && $(BIN)/ruff format .

stale: test-env ## name figures that are stale, and pages, generated files and budgets that are wrong (the latter fail)
	@$(TOOLS) figures --check

pages: test-env ## write the recorded figures into the pages, and the samples and pictures that follow from the code
	@$(TOOLS) pages

docs: ## build the documentation site in build/site; warnings and broken links are errors
	@.ci/setup docs
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --clean
	@echo 'wrote build/site/index.html'

clean: ## remove build/ and .venv/
	rm -rf build .venv
