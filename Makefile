# A machine with python3 (3.11 or newer, with its venv module), make and a package index is enough.

PYTHON ?= python3
VENV := .venv
BIN := $(CURDIR)/$(VENV)/bin
INSTALLED := $(VENV)/installed

# The demo: its size, its months, its data folder; UI=0 leaves the web UI out.
GAMES ?= 1200
MONTHS ?= 2024-01..2024-12
DATA ?= data
UI ?= 1
PORT ?= 3000

# Not taken from the environment: another project's Dagster home is not ours to write in.
DAGSTER_HOME := $(CURDIR)/dagster_home

# Test processes at once, and what else pytest shall be told.
WORKERS ?= 2
PYTEST_ARGS ?=

.PHONY: install demo ui test lint bench proof champion fuzz clean

install: $(INSTALLED)

$(INSTALLED): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV) || { echo 'No virtual environment could be made; on Debian: apt install python3-venv' >&2; exit 1; }
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[dev,fast,cluster,games,browser]'
	touch $@

demo ui: export DAGSTER_HOME := $(DAGSTER_HOME)
demo ui: export TICHU_DATA = $(abspath $(DATA))
demo: export TICHU_FIRST_MONTH = $(firstword $(subst .., ,$(MONTHS)))
demo: export TICHU_LAST_MONTH = $(lastword $(subst .., ,$(MONTHS)))

demo: install
	$(BIN)/python -m tichu_pipeline.tools.demo --games $(GAMES) --months $(MONTHS) --data '$(TICHU_DATA)'
ifneq ($(UI),0)
	@$(MAKE) --no-print-directory ui
endif

# The default signals: a server started from a script would ignore them, and leave its children behind.
ui: install
	@echo 'The web UI opens on http://127.0.0.1:$(PORT) (end it with Ctrl-C)'
	env --default-signal=INT,QUIT,TERM $(BIN)/dagster dev -w workspace.yaml -h 127.0.0.1 -p $(PORT)

# Compiled once, here: processes that start side by side would each compile the engine for themselves. With worksteal
# the tests of a module stay together, and what they share is made once.
test: install
	$(BIN)/python -m tichu_pipeline.tools.warm_up
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal $(PYTEST_ARGS)

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: install
	$(BIN)/python -m pytest -m bench -s $(PYTEST_ARGS) tests/benchmarks

proof: install
	$(BIN)/python -m pytest -m proof -s $(PYTEST_ARGS)

# The player that ships, trained anew: two hours of one core. It goes on where it was interrupted. First from random
# weights, then twice with larger iterations, lower rates and less entropy.
LONGER := iterations=500 rounds=4096 learning_rate=5e-4 last_learning_rate=3e-5 entropy=0.003 last_entropy=0.0007 \
	decision_entropy=0.003 last_decision_entropy=0.001
FURTHER := --preset laptop $(LONGER:%=--set %)
champion: install
	$(BIN)/tichu selfplay first --preset laptop --set seed=2 $(CHAMPION_ARGS) --data '$(DATA)'
	$(BIN)/tichu selfplay champion_1 --from first $(FURTHER) --set seed=11 $(CHAMPION_ARGS) --data '$(DATA)'
	$(BIN)/tichu selfplay champion --from champion_1 $(FURTHER) --set seed=12 $(CHAMPION_ARGS) --data '$(DATA)'
	$(BIN)/python -m tichu_pipeline.tools.ship_champion champion --data '$(DATA)' --command 'make champion'

fuzz: install
	$(BIN)/python -m pytest -m fuzz -s $(PYTEST_ARGS)

# Back to a fresh checkout, but for data/ and Dagster's history.
clean:
	rm -rf $(VENV) build *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find tichu_models tichu_pipeline tests -name __pycache__ -type d -prune -exec rm -rf {} +
