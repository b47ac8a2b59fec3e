# The doors to the project; `make help` lists them. All set-up is done here, into target/.

.DEFAULT_GOAL := help
SHELL := /bin/sh
CARGO ?= cargo
PYTHON ?= python3
# Where rustup puts cargo before the shell knows of it.
export PATH := $(PATH):$(HOME)/.cargo/bin
# bench/ is left out of everything but `make bench`: its peers are slow to build.
WORKSPACE := --workspace --exclude waywarden-bench
ORACLES := target/oracles/.ready
DEMO_BUILD := $(CARGO) build --profile demo --package waywarden-cli --no-default-features
MDBOOK_VERSION := 0.5.4
MDBOOK := target/tools/bin/mdbook-$(MDBOOK_VERSION)

.PHONY: help
help: ## say what there is
	@echo "Waywarden: make ..."
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' $(firstword $(MAKEFILE_LIST))

# What the demonstration needs of the command, and no more: the features are in crates/cli/waywarden. Where
# there is no terminal for cargo's bar, a line tells every few seconds that it goes on.
.PHONY: demo
demo: rust ## build (a few minutes, the first time), then attack a car with and without SecOC, and a V2X receiver
	@echo "Building the command's vehicles, logs and verification; every feature: cargo build --release"
	@if [ -t 2 ]; then $(DEMO_BUILD); else \
	    { while sleep 8; do echo "   Building ..." >&2; done & } ; ticker=$$!; \
	    $(DEMO_BUILD); built=$$?; kill $$ticker 2>/dev/null; exit $$built; \
	fi
	@$(CARGO) run --quiet --profile demo --package waywarden-cli --no-default-features -- demo

.PHONY: test
test: rust oracles ## what must always pass: a few minutes
	$(CARGO) test $(WORKSPACE)

# The tests of the Python package alone; `make test` runs them, too.
.PHONY: python-test
python-test: rust oracles ## test the Python package (make test does so, too)
	$(CARGO) test --package waywarden-python

# What is released: optimised as a whole, some minutes.
MATURIN_VERSION := 1.16.0
MATURIN := target/tools/maturin-$(MATURIN_VERSION)/bin/maturin
.PHONY: wheel
wheel: rust $(MATURIN) ## build the Python package as a wheel, in target/wheels
	$(MATURIN) build --manifest-path bindings/python/Cargo.toml --profile dist --locked --out target/wheels

# A page a module, from the docstrings and types of the package.
PDOC_VERSION := 16.0.0
PYTHON_MODULES := $(addprefix waywarden.,can can_bus can_io errors paired papers secoc sweep traffic v2x vehicle)
.PHONY: python-docs
python-docs: rust oracles ## write the pages of the Python package into target/python-docs
	@$(CARGO) build --quiet --package waywarden-python
	@xtask/python-package target/debug/lib_native.so target/python/site
	@[ -x target/tools/pdoc-$(PDOC_VERSION)/bin/pdoc ] || { $(PYTHON) -m venv target/tools/pdoc-$(PDOC_VERSION) && \
	    target/tools/pdoc-$(PDOC_VERSION)/bin/python -m pip install --quiet pdoc==$(PDOC_VERSION) python-can; }
	@PYTHONPATH=target/python/site target/tools/pdoc-$(PDOC_VERSION)/bin/pdoc --docformat numpy \
	    --output-directory target/python-docs waywarden $(PYTHON_MODULES)

$(MATURIN):
	@$(PYTHON) -m venv target/tools/maturin-$(MATURIN_VERSION)
	@target/tools/maturin-$(MATURIN_VERSION)/bin/python -m pip install --quiet --disable-pip-version-check \
	    maturin==$(MATURIN_VERSION)

# What is installed: headers, static and shared library, files for pkg-config and CMake.
.PHONY: c-library
c-library: rust ## build the C library, in target/c-library
	$(CARGO) build --release --package waywarden-c-v2x
	xtask/c-library target/release/libwaywarden_c_v2x.a target/c-library

# A page a header, by doxygen of the system's packages.
.PHONY: c-docs
c-docs: ## write the pages of the C library into target/c-docs
	@command -v doxygen >/dev/null || { echo "make: doxygen is missing (Debian: apt-get install doxygen)" >&2; exit 2; }
	@mkdir -p target
	@doxygen bindings/c/Doxyfile

.PHONY: no-prose
no-prose: rust ## the verdicts again, in a build whose writers print x for every phrase
	WAYWARDEN_NO_PROSE=1 $(CARGO) test $(WORKSPACE) --test verdicts

# More of the same, plus what takes long: every executable in xtask/soak/, in order of name.
.PHONY: soak
soak: export WAYWARDEN_CASES ?= 10000
soak: export WAYWARDEN_SEEDS ?= 10000
soak: export WAYWARDEN_JOBS ?= 1000000
soak: rust oracles ## the same tests with every count an hour allows, and the long checks
	$(CARGO) test --release $(WORKSPACE)
	@set -e; for check in xtask/soak/*; do \
	    if [ -f "$$check" ] && [ -x "$$check" ]; then echo "soak: $$check"; "$$check"; fi; \
	done

# Rust's core library is built from its source for them: half a minute, the first time.
.PHONY: firmware
firmware: rust ## build the ECU images, in target/firmware/images; Error 77 means skipped
	@xtask/firmware secoc group-keys

.PHONY: guest
guest: rust ## CAN sockets in an emulated PC: optional, downloads a kernel; Error 77 means skipped
	crates/can/linux/guest/run

.PHONY: docs
docs: rust $(MDBOOK) ## build the documentation as a site that can be searched, in target/docs-site
	@$(CARGO) xtask docs $(CURDIR)/$(MDBOOK)
	@xtask/playground || { [ $$? = 77 ] && echo "docs: the site has no playground"; }

# The module of WebAssembly and its pages; some minutes, the first time.
.PHONY: playground
playground: rust ## build the laboratory for a web browser, in target/docs-site/playground
	@xtask/playground

# Some minutes, once; without the web server that mdBook has besides.
$(MDBOOK):
	$(CARGO) install --quiet --locked --force --root target/tools --target-dir target/tools/build \
	    --no-default-features --features search --version $(MDBOOK_VERSION) mdbook
	@rm -rf target/tools/build
	@mv target/tools/bin/mdbook $@

.PHONY: bench
bench: rust ## compare with our peers, in one process, as ratios
	$(CARGO) run --profile dist --package waywarden-bench -- all

.PHONY: reproduce
reproduce: rust ## the papers' numbers beside ours and this machine's, in target/reproduce: an hour
	@$(CARGO) build --quiet --profile dist --package waywarden-cli
	@mkdir -p target/reproduce
	@if command -v sumo >/dev/null || [ -x .venv/bin/sumo ]; then \
	    WAYWARDEN=target/dist/waywarden xtask/reproduce-traffic target/reproduce/traffic; \
	else echo "reproduce: no SUMO, so no traffic; see docs/traffic-scenarios.md"; fi
	@set -e; for paper in gke lasan vulcan ecqv-cits wave-sec; do \
	    case $$paper in \
	        ecqv-cits) host=--host; \
	            [ ! -d target/reproduce/traffic ] || host="--host --traffic target/reproduce/traffic" ;; \
	        wave-sec) host="--host --real-time" ;; \
	        *) host= ;; \
	    esac; \
	    echo "reproduce: waywarden papers $$paper $$host"; \
	    target/dist/waywarden papers $$paper $$host --format csv --html target/reproduce/$$paper.html \
	        > target/reproduce/$$paper.csv; \
	done

# ns-3 3.37 is Debian's (apt-get install libns3-dev libgsl-dev g++ pkg-config).
.PHONY: radio-oracle
radio-oracle: ## compare the radio of road traffic with ns-3 itself, and a sweep with Ray: needs libns3-dev; some minutes
	xtask/radio-oracle
	xtask/sweep-oracle 4

.PHONY: dist
dist: wheel ## the files of a release in target/release-files: package, static binary, C library, wheel, checksums
	xtask/release-files

.PHONY: oracles
oracles: ## install the outside implementations that the tests compare with
	@$(MAKE) --no-print-directory --silent $(ORACLES) || { \
	    if [ "$$WAYWARDEN_REQUIRE_ORACLES" = 1 ]; then \
	        echo "make: the oracles are required (WAYWARDEN_REQUIRE_ORACLES=1)" >&2; exit 1; \
	    fi; \
	    echo "make: going on without; the tests that need them say 'skipped'" >&2; }

$(ORACLES): xtask/oracles.txt
	@command -v $(PYTHON) >/dev/null || { \
	    echo "make: no $(PYTHON), so no oracles (Debian: apt-get install python3-venv)" >&2; exit 1; }
	@rm -rf target/oracles && mkdir -p target
	@$(PYTHON) -m venv target/oracles || { \
	    echo "make: $(PYTHON) cannot make an environment (Debian: apt-get install python3-venv)" >&2; \
	    rm -rf target/oracles; exit 1; }
	@target/oracles/bin/python -m pip install --quiet --disable-pip-version-check --no-compile -r xtask/oracles.txt
	@touch $@

.PHONY: rust
rust:
	@command -v $(CARGO) >/dev/null || { \
	    echo "make: Rust is missing. Install it, and a C linker, and come back:" >&2; \
	    echo "  Debian 13 or newer:  apt-get install rustup gcc && rustup default stable" >&2; \
	    echo "  elsewhere:           rustup from https://rustup.rs, and gcc or clang" >&2; \
	    echo "The compiler that rust-toolchain.toml names comes by itself." >&2; exit 2; }
	@command -v $${CC:-cc} >/dev/null || { \
	    echo "make: a C linker is missing. Debian: apt-get install gcc" >&2; exit 2; }
