# make demo     a moving arm            make test     the tests, lint included
# Everything sets itself up; `make help` lists the rest.

DISTRO ?= jazzy
PEERS ?=
ARM ?= open_manipulator_x
ARGS ?=
export PYTHONUNBUFFERED = 1

VENV := $(if $(filter jazzy,$(DISTRO)),.venv,.venv-$(DISTRO))
REQUIREMENTS := $(addprefix requirements/,$(DISTRO).txt run.txt viewer.txt build.txt test.txt lint.txt)
BENCH := $(if $(PEERS),.venv-bench,$(VENV))
FLOOR := $(addprefix requirements/,jazzy.txt floor.txt floor_more.txt build.txt test.txt)
SOURCES := setup.py setup.cfg package.xml tools/make_environment
PYTEST := -m pytest --durations=10

.DEFAULT_GOAL := help
.PHONY: help setup demo test lint test-floor colcon bench bench-bus bench-drag soak test-clients clean
.DELETE_ON_ERROR:

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile | expand -t 22
	@echo '  DISTRO=kilted: on ROS 2 Kilted; PYTHON=/path/to/python3: another interpreter'

setup: $(VENV)/.ready  ## make .venv with ROS 2, the package and compiled kernels

demo: setup  ## an emulated arm driven to targets (ARM=planar_2r, ARGS=--help)
	$(VENV)/bin/ik_demo --arm $(ARM) $(ARGS)

test: setup  ## all tests, lint included (ARGS='test/core -k step')
	$(VENV)/bin/python $(PYTEST) $(ARGS)

lint: setup  ## ruff and mypy
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy

test-floor: .venv-floor/.ready  ## the tests with numpy 1.26, dynamixel-sdk 4.0.3 and no numba
	.venv-floor/bin/python $(PYTEST) $(ARGS)

colcon: $(VENV)/.colcon  ## build and test as a ROS package, with colcon
	tools/colcon_test $(VENV)

bench: export OMP_NUM_THREADS = 1
bench: $(BENCH)/.ready  ## how fast and how exact, what it costs (PEERS=1: beside other solvers)
	$(BENCH)/bin/python -m bench.solver $(ARGS)
	$(BENCH)/bin/python -m bench.nodes

bench-bus: setup  ## the servo bus beside the wire's limit and the stock SDK
	$(VENV)/bin/python -m bench.bus $(ARGS)

soak: setup  ## every pair of faults for half an hour (ARGS='--minutes 5')
	PYTHONPATH=. $(VENV)/bin/python test/dynamixel/fault_trials.py --minutes 30 $(ARGS)

bench-drag: setup  ## how soon a dragged target is a command
	$(VENV)/bin/python -m bench.drag $(ARGS)

test-clients: setup  ## other people's Dynamixel clients on the emulated bus
	$(VENV)/bin/python test/clients/run_clients.py $(ARGS)

clean:  ## remove what make made
	rm -rf .venv .venv-* build install log .pytest_cache .mypy_cache .ruff_cache .hypothesis *.egg-info
	find ik_node test bench -name __pycache__ -type d -exec rm -rf {} +

%/.installed: $(SOURCES)
	tools/make_environment $* $(filter requirements/%,$^)
	touch $@

$(VENV)/.installed: $(REQUIREMENTS)
.venv-bench/.installed: $(addprefix requirements/,jazzy.txt build.txt peers.txt)
.venv-floor/.installed: $(FLOOR)
.venv-floor/.installed: export NEWEST_PYTHON = 3.12

%/.ready: %/.installed $(wildcard ik_node/core/kernels/*.py)
	$*/bin/python -m ik_node.cli.warm
	touch $@

%/.colcon: requirements/colcon.txt %/.installed
	$*/bin/python -m pip --disable-pip-version-check --quiet install -r $<
	touch $@
