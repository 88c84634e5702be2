# Two commands: `make run` and `make test`. Everything else is for developers.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
WORKSPACE ?=
ARGS ?=

.PHONY: run test check format lint types imports bench judge-report reference clean setup

# No python3-venv needed: the environment is made without pip, and the system's pip installs into it.
$(BIN)/python:
	$(PYTHON) -m venv --without-pip $(VENV)

$(STAMP): pyproject.toml constraints.txt | $(BIN)/python
	$(PYTHON) -m pip --python $(BIN)/python install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

setup: $(STAMP)

run: $(STAMP)
	@exec $(BIN)/conductd run $(if $(WORKSPACE),--workspace "$(WORKSPACE)") $(ARGS)

test: $(STAMP)
	$(BIN)/python -m pytest -n 2 --dist worksteal $(ARGS)

check: format lint types imports test

format: $(STAMP)
	$(BIN)/ruff format --check .

lint: $(STAMP)
	$(BIN)/ruff check .

types: $(STAMP)
	$(BIN)/mypy

imports: $(STAMP)
	$(BIN)/lint-imports

bench: $(STAMP)
	$(BIN)/python -m benchmarks $(ARGS)

judge-report: $(STAMP)
	PYTHONPATH=tests $(BIN)/python -m corpus $(ARGS)

reference: $(STAMP)
	PYTHONPATH=tests $(BIN)/python -m reference

clean:
	rm -rf $(VENV) build dist
