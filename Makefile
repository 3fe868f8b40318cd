# Two commands set up everything they need: `make sweep` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: setup sweep test test-slow demo-checkpoints clean

setup: $(VENV)/.ready

# The lock holds every version; torch comes first, alone, so that no other package can pull a CUDA build of it.
$(VENV)/.ready: requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet "$$(grep '^torch==' requirements.lock)"
	$(BIN)/python -m pip install --quiet -r requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e .
	touch $@

# The demo sweep: 51 languages, two bundled checkpoints, no network.
sweep: setup
	$(BIN)/python -m laya_sweep

# Train the bundled checkpoints again from the bundled corpus (minutes).
demo-checkpoints: setup
	$(BIN)/python -m training.train laya_sweep/demo/checkpoints

# What a change is tried with: linters, types, layers, and every test that takes seconds.
# Two workers, a file of tests each at a time: much of the suite waits for processes of its own.
test: setup
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -n 2 --dist loadfile -m "not slow"

# The rest: clusters, killed runs, whole sweeps, exports, long simulations.
test-slow: setup
	$(BIN)/python -m pytest -n 2 --dist loadfile -m slow

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache
