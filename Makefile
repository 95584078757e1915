# make run   runs Lectern with everything it needs        make test  runs the tests (ARGS="tests/operations -k port")
# make test-all   runs them as deep as they go: each page in all looks, each moment at which a worker may be killed
# make lint, make types, make format                      PYTHON=python3.12 chooses the interpreter
# EXTRAS= leaves out libzim, which reads ZIM files and is under the GPL.
# TORCH_INDEX=… is one more index for pip, that of PyTorch's CPU wheels: README, "PyTorch without CUDA".
# make image-check   builds the image without Docker and asks it a question (root on Debian, some ten minutes)

PYTHON ?= python3
EXTRAS ?= [zim]
TORCH_INDEX ?=
PY := .venv/bin/python
INDEX := $(if $(TORCH_INDEX),--extra-index-url '$(TORCH_INDEX)')
PIP := $(PY) -m pip install --quiet --disable-pip-version-check $(INDEX)
export OMP_NUM_THREADS ?= 1
# Else each process would compile all of Lectern anew, and each document is read in one.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test test-all lint types format image-check

run: .venv/runtime.installed
	@exec $(PY) manage.py serve

test: .venv/dev.installed
	@$(PY) -m pytest -n 3 --dist worksteal $(ARGS)

test-all: .venv/dev.installed
	@LECTERN_TEST_DEPTH=all LECTERN_EXAMPLES=100 $(PY) -m pytest -n 3 --dist worksteal $(ARGS)

lint: .venv/dev.installed
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .

types: .venv/dev.installed
	@$(PY) -m mypy .

format: .venv/dev.installed
	@$(PY) -m ruff check --fix .
	@$(PY) -m ruff format .

image-check: .venv/dev.installed
	@.ci/image

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Lectern needs Python 3.11 or later, and '$(PYTHON)' is not that."; \
		echo "Install one and name it: make run PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -m venv .venv || { rm -rf .venv; \
		echo "Python could not make a virtual environment; on Debian and Ubuntu: apt install python3-venv"; exit 1; }

.venv/runtime.installed: pyproject.toml | .venv/bin/python
	@$(PY) -m operations.first_install
	@echo "Installing (some minutes, once) …"
	@$(PIP) -e '.$(EXTRAS)' > .venv/install.log 2>&1 || { tail -n 20 .venv/install.log; \
		echo "Installing failed; all of pip's words are in .venv/install.log"; exit 1; }
	@touch $@

.venv/dev.installed: pyproject.toml | .venv/bin/python
	@$(PY) -m operations.first_install
	@echo "Installing with what the tests need (some minutes, once) …"
	@$(PIP) -e '.[dev]' > .venv/install.log 2>&1 || { tail -n 20 .venv/install.log; \
		echo "Installing failed; all of pip's words are in .venv/install.log"; exit 1; }
	@touch .venv/runtime.installed $@
