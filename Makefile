# Everything runs in .venv with Python 3.11 or later; PYTHON names another interpreter.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test lowest faults mutants soak check snapshots texts docs demo-picture wheels lock address release bench clean

demo: $(VENV)/.program
	@$(BIN)/kimi-tui --demo

test: $(VENV)/.tests
	$(BIN)/python -m pytest -q -n auto -m "not faults"

# Tests of what the libraries are used for, with the lowest versions that pyproject.toml names, in a venv of their own.
lowest: $(VENV)/.tests
	@$(BIN)/python -m pip install -q "uv>=0.8"
	@$(BIN)/python -m tests.lowest

# Every case of the fault list, those in a terminal of their own too.
faults: $(VENV)/.tests
	@$(BIN)/python -m tests.faults

# Takes each defence out of a copy and sees that its test fails; CASE=31 for one, SLICE=1/5 for the first fifth.
# Not part of CI: all of them take a quarter of an hour.
mutants: $(VENV)/.tests
	@$(BIN)/python -m tests.faults.mutants $(if $(SLICE),--slice $(SLICE)) $(CASE)

# 500 kill -9 at random moments of a busy session; SEED=N repeats one. FLOWS=1 kills 200 runs of a flow instead.
soak: $(VENV)/.tests
	@$(BIN)/python -m tests.faults.$(if $(FLOWS),flow_kills,soak) $(if $(SEED),--seed $(SEED))

check: $(VENV)/.tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports

snapshots: $(VENV)/.tests
	$(BIN)/python -m pytest -q tests/ui/tui --snapshot-update

# Puts new texts of the screen into the Chinese catalogue, and compiles it.
texts: $(VENV)/.tests
	@$(BIN)/python -m tests.texts

# Writes the reference pages of the documentation and the completion scripts from the program's own tables.
# Then builds the site into build/site, and checks its links.
docs: $(VENV)/.docs
	@$(BIN)/python -m tests.docs
	@$(BIN)/python -m tests.docs_site

# Plays the demo in a terminal and writes the README's moving picture. Look at it before you commit it.
demo-picture: $(VENV)/.tests
	@$(BIN)/python -m tests.demo_picture

# Builds the wheel and tries it with each Python found, by uv, `uv tool` and pipx; QUICK=1 leaves out the last two.
wheels: $(VENV)/.tests
	@$(BIN)/python -m pip install -q "uv>=0.8"
	@$(BIN)/python -m tests.wheels $(if $(QUICK),--venvs-only)

# Writes the newest versions that pyproject.toml allows into requirements.lock, with hashes, for every Python and system.
lock: $(VENV)/.tests
	@$(BIN)/python -m pip install -q "uv>=0.8"
	@$(BIN)/python -m uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --no-annotate --no-header pyproject.toml -o requirements.lock

# Writes the public address of the repository into every file that names it: make address URL=https://github.com/...
address: $(VENV)/.tests
	@$(BIN)/python -m tests.release --address "$(URL)"

# Builds the wheel and the source archive into dist, unless a file names a placeholder or another version.
release: $(VENV)/.tests
	@$(BIN)/python -m pip install -q "uv>=0.8"
	@$(BIN)/python -m tests.release

# The program is measured as `pip install` leaves it: what the tests bring is imported by libraries if it is there.
bench: $(VENV)/.tests
	@$(PYTHON) -m venv $(VENV)-bench
	@$(VENV)-bench/bin/python -m pip install -q --upgrade "pip>=25.1"
	@$(VENV)-bench/bin/python -m pip install -q --upgrade .
	$(BIN)/python tests/bench/run.py

$(VENV)/.program: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "kimi-tui needs Python 3.11 or later; try: make $(MAKECMDGOALS) PYTHON=python3.11"; exit 1; }
	@echo "Installing kimi-tui into $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install -q --upgrade "pip>=25.1"
	@$(BIN)/python -m pip install -q --editable .
	@touch $@

$(VENV)/.tests: $(VENV)/.program
	@$(BIN)/python -m pip install -q --editable . --group dev
	@touch $@

$(VENV)/.docs: $(VENV)/.tests
	@$(BIN)/python -m pip install -q --group docs
	@touch $@

clean:
	rm -rf $(VENV) $(VENV)-lowest $(VENV)-bench dist build
