# `make serve` shows the lesson, `make test` runs the tests. Both need only Python 3.11 or newer and make.
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
ARGS ?=

.PHONY: serve test test-torch test-static lint format site bench formulas notebook preview clean

serve: $(VENV)/.serve
	@$(PY) app.py $(ARGS)

test: $(VENV)/.dev
	@$(PY) -m tests.browser.chromium
	$(PY) -m pytest -q -n 2 --dist loadfile $(ARGS)
	@echo "make test-torch adds: PyTorch gives the numbers of the figures, of the notebook and of the recipes (installs PyTorch and transformers)."
	@echo "make test-static adds: the static site alive in Chromium (fetches Pyodide, 77 MB)."

test-torch: $(VENV)/.torch
	$(PY) -m pytest -q tests --torch $(ARGS)

test-static: $(VENV)/.dev
	@$(PY) -m tests.browser.chromium
	@$(PY) -m tests.static.fixture
	$(PY) -m pytest -q tests --static $(ARGS)

site: $(VENV)/.serve
	@$(PY) -m export site $(ARGS)

bench: $(VENV)/.dev
	$(PY) -m bench $(ARGS)

lint: $(VENV)/.dev
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy core figures lesson export assets bench notebooks/build.py notebooks/checks app.py

format: $(VENV)/.dev
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

formulas: $(VENV)/.dev
	$(PY) figures/formulas.py
	$(PY) -m lesson.markdown

notebook: $(VENV)/.dev
	$(PY) -m notebooks.build
preview: $(VENV)/.dev
	$(PY) -m docs.preview

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(PY):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed, this is " + sys.version.split()[0])'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.serve: requirements.txt | $(PY)
	$(PY) -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

$(VENV)/.dev: requirements.txt requirements-dev.txt | $(PY)
	$(PY) -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@ $(VENV)/.serve

$(VENV)/.torch: $(VENV)/.dev
	$(PY) -m pip install --quiet --disable-pip-version-check torch==2.13.0 transformers==5.24.0
	@touch $@
