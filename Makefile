# Two commands do everything: `make demo` and `make test`. Each makes its own environment first.
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= python3
# Tests wait for programs and containers a third of their time: half as many again as there are cores keep these busy.
JOBS ?= $(shell echo $$(( ($$(nproc) * 3 + 1) / 2 )))

.PHONY: help demo test gate-report goldens checks-report diagrams lock lint types contract format bench bench-quick clean
help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/'

$(VENV)/.made: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "autofix needs Python >= 3.11; say PYTHON=python3.x"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable . --group dev
	touch $@

demo: $(VENV)/.made ## watch a failing pull request become a verified commit: no key, no account, no root
	$(BIN)/autofix demo

test: $(VENV)/.made ## set up and run every test this machine can run
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal $(PYTEST_ARGS)

gate-report: $(VENV)/.made ## the attack corpus, class by class, for the gate and for the hook alone
	$(BIN)/python -m tests.gate_report

goldens: $(VENV)/.made ## write the comment of each outcome anew, to be looked at
	$(BIN)/python -m tests.golden.comments.told

checks-report: $(VENV)/.made ## each test runner's real program and what is read from it; each tampering case and its verdict
	$(BIN)/python -m tests.contract.checks_report

diagrams: $(VENV)/.made ## draw the machine into ARCHITECTURE.md, from its table
	$(BIN)/python -m tests.diagrams

# For Linux and the image's Python; x86-64 and aarch64 come to the same list. Each entry has the hashes of all its files.
LOCK = $(VENV)/lock/bin/uv pip compile --quiet --upgrade --no-annotate --python-version 3.13 --python-platform linux \
  --only-binary :all: --generate-hashes --no-config --custom-compile-command 'make lock'

lock: ## name anew, with hashes, what the image is made with
	$(PYTHON) -m venv $(VENV)/lock
	$(VENV)/lock/bin/python -m pip install --quiet uv==0.13.9
	$(LOCK) --output-file requirements/image.txt pyproject.toml
	$(PYTHON) -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], sep="\n")' \
	  | $(LOCK) --output-file requirements/build.txt -

lint: $(VENV)/.made ## ruff, as CI runs it
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.made ## mypy --strict on the package
	$(BIN)/mypy

contract: $(VENV)/.made ## the import contract of ARCHITECTURE.md
	$(BIN)/lint-imports

format: $(VENV)/.made ## let ruff fix and format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.made ## measure every bar beside the minimal loop: some minutes
	$(BIN)/python -m benchmarks $(BENCH_ARGS)

bench-quick: $(VENV)/.made ## the bars that take a minute
	$(BIN)/python -m benchmarks --quick

clean: ## remove what make made
	rm -rf $(VENV) .mypy_cache .ruff_cache .hypothesis
