# kipflow. `make run` needs Python 3.11 to 3.13 and nothing else.
#   make run COMMUNITY=kafka        another community (config/communities/*.yaml, or a file)
#   KIPFLOW_UI_PORT, KIPFLOW_SANDBOX_PORT   other ports than 8080 and 8765
#   PYTHON=/path/to/python3.12      another Python than the first that fits

SHELL := /bin/sh
.DEFAULT_GOAL := help
BIN := .venv/bin
COMMUNITY ?=
IN_COMMUNITY = $(if $(COMMUNITY),KIPFLOW_COMMUNITY='$(COMMUNITY)')
SLOW_MARKS := spark or airflow or postgres or browser or realdata or integration or system or slow
# tests in as many processes as there are cores (all tests: one more), four at most; `make test PROCESSES=1` for one after the other
PROCESSES ?=
PYTEST := $(BIN)/python -m pytest $(if $(PROCESSES),-n $(PROCESSES),-n logical --maxprocesses 4)
# folders without a fast test (`INTEGRATION` in tests/conftest.py, and Airflow's): their modules need not be imported
NONE_FAST := --ignore tests/integration --ignore tests/adversary --ignore tests/dags
CHECKED := kipflow spark dags plugins tests tools $(wildcard bench)

# Tests and Airflow start hundreds of programs: each would compile all of kipflow again where compiled modules are not kept.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup run stop test check bench accuracy docs pictures lock format

help: ## Show the targets
	@awk -F':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' Makefile

PREPARE := python=$$(sh tools/find_python.sh) && "$$python" tools/prepare_venv.py

setup: ## Create .venv from the locked requirements (nothing to do when it is current)
	@$(PREPARE)

run: ## Set up (without the tools for tests), start everything, run the DAGs, print the board; the UI stays up
	@$(PREPARE) --runtime
	@$(IN_COMMUNITY) $(BIN)/kipflow up

stop: ## Stop what `make run` started
	@if [ -x $(BIN)/kipflow ]; then $(BIN)/kipflow down; else echo "nothing is installed here, so nothing runs"; fi

check: setup ## Lint, types and the fast tests (FAST_TESTS=later: these with `make test`)
	$(BIN)/ruff check $(CHECKED)
	$(BIN)/ruff format --check $(CHECKED)
	$(BIN)/mypy
ifeq ($(FAST_TESTS),later)
	@echo "make check: lint and types only; the fast tests run with all others in make test"
else
	EXAMPLES=few $(PYTEST) -q -m "not ($(SLOW_MARKS))" $(NONE_FAST)
endif

test: setup ## All tests, with what was skipped and why
	$(PYTEST)

bench: setup ## Benchmarks beside their peers
	$(BIN)/python bench/run.py

accuracy: setup ## Readings and decisions against real records, every difference explained (FORMAT=json, REALDATA=DIR)
	@$(BIN)/python -m tools.accuracy $(if $(FORMAT),--format '$(FORMAT)') $(if $(REALDATA),--realdata '$(REALDATA)')

docs: setup ## Write the generated pages of the documents anew
	@$(BIN)/python -m tools.pages

pictures: setup ## Take the pictures in the documents with Chromium
	@$(BIN)/python -W ignore -m tools.pictures

format: setup ## Apply the formatter
	$(BIN)/ruff check --fix $(CHECKED)
	$(BIN)/ruff format $(CHECKED)

lock: ## Lock requirements.in and requirements-dev.in with hashes (needs uv)
	@command -v uv >/dev/null || { echo "make lock needs uv (https://docs.astral.sh/uv/) on the path" >&2; exit 1; }
	for lock in requirements requirements-dev; do \
		uv pip compile $$lock.in --no-header --universal --python-version 3.11 --generate-hashes -o $$lock.txt || exit; done
