# make demo    from handwritten digits to a verified image on an emulated board
# make test    the tests (T="-k conv2d" chooses some)
# make peer    two test suites of ExecuTorch on our backend (P="operators -k conv2d" chooses)
# make bench   instructions of networks and operators on every emulated core (B="-b BOARD NETWORK" chooses)
# make check   formatter, linters, types and README's commands, then the tests
# make setup   only install what is missing (each of the others starts with it)
# make clean   remove what was built; make distclean removes .venv too

PYTHON ?= python3
VENV_PYTHON := .venv/bin/python
# Else torch makes a folder under /tmp.
export TORCHINDUCTOR_CACHE_DIR := $(CURDIR)/build/torchinductor

.PHONY: demo test peer bench check setup clean distclean

demo: setup
	@$(VENV_PYTHON) examples/digits/demo.py

# All of them: one process waits for emulators while the other one computes.
test: setup
ifeq ($(strip $(T)),)
	@mkdir -p build
	@$(VENV_PYTHON) -m pytest -m emulator >build/emulator.txt 2>&1 & emulator=$$!; \
		trap "kill $$emulator" INT TERM; \
		$(VENV_PYTHON) -m pytest -m "not emulator"; others=$$?; \
		wait $$emulator; emulated=$$?; \
		cat build/emulator.txt; exit $$((others | emulated))
else
	$(VENV_PYTHON) -m pytest $(T)
endif

peer: setup
	@$(VENV_PYTHON) -c "import importlib.util as u; assert u.find_spec('tosa_serializer') and u.find_spec('torchvision')" 2>/dev/null || \
		$(VENV_PYTHON) -m pip install -q --disable-pip-version-check --no-deps -r tests/peer/requirements.txt
	PYTHONPATH=tests $(VENV_PYTHON) -m peer $(P)

bench: setup
	@$(VENV_PYTHON) -m bench $(B)

check:
	@$(PYTHON) pytools/setup/bootstrap.py --for check
	@$(VENV_PYTHON) pytools/setup/check.py
	@$(MAKE) test

setup:
	@$(PYTHON) pytools/setup/bootstrap.py

clean:
	rm -rf build

distclean: clean
	rm -rf .venv
