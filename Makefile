# Everything that a person or a CI does with Airwire. `make demo` and `make test` set up all they need on a machine
# that has Rust, Python 3.11 with venv, a C compiler and arm-none-eabi-gcc; they say what is missing and install nothing
# outside this folder.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Compiled at once: a process that may write no large file must not be the first that imports a module.
INSTALL := $(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes --compile-bytecode
export CARGO_TARGET_DIR ?= $(CURDIR)/target

FIRMWARE := build/firmware
FIRMWARE_BOARDS := w5500-evb-pico w55rp20-evb-pico w6100-evb-pico w5100s-evb-pico pico-w5200 pico-w5100 pico-w pico-lan8720 ideal-mac pico
AVR_BOARDS := goldilocks-1284p-w5200 goldilocks-1284p-w5100 arduino-uno-w5100 arduino-mega-w5500
SITE := $(FIRMWARE)/site/fsdata.c
SMALL_SITE := $(FIRMWARE)/site_small/fsdata.c
RUST_SOURCES := $(shell find crates -name '*.rs' -o -name Cargo.toml) $(wildcard boards/*.toml) Cargo.toml Cargo.lock
FUZZ_SECONDS ?= 600
SOAK_HOURS ?= 24
TEST_PROCESSES ?= 3
# More threads than processors: some tests wait for real clocks.
export RUST_TEST_THREADS ?= $(shell expr 2 \* $$(nproc))
RANDOM_INSTRUCTIONS ?= 100000000
PROPERTY_CASES ?= 6000
FUZZ_TARGETS := logic2_csv sal sigrok vcd pulseview_csv compressed suite elf uf2 bin \
	wiznet_spi wiznet_frames cyw43_pins cyw43_messages pc_frames network_file impairments servers clients packets \
	spi_controller traffic_words i2c_target serial_line gdb_packets rtt_ram usb_device board_file avr_image
FUZZ_FIRMWARE_TARGETS := http_request fsdata_image ssi_page iperf_header coap_message mqtt_packets radio_that_lies small_frames \
	$(foreach chip,W5100 W5100S W5200 W5500 W6100,chip_that_lies_$(chip)=chip_that_lies)

.PHONY: help demo firmware firmware-or-not images web wheel tools cross-compiler avr-compiler test lint format-rust lint-rust lint-others rust-tests builds test-rust properties random-images test-python test-slow soak fuzz \
	fuzz-readers fuzz-targets fuzz-firmware bench docs site lock clean

help: ## Show what there is
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /: /' | sort

# What is missing for a build, in one sentence and before anything is compiled.
tools:
	@command -v cargo >/dev/null || { echo "Airwire is built with Rust: install cargo (rustup.rs)." >&2; exit 1; }
	@command -v cc >/dev/null || { echo "Airwire is built with a C compiler: apt-get install build-essential (as root)." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit("Airwire needs Python 3.11 or later; set PYTHON=python3.11") if sys.version_info < (3, 11) else None'
	@test -x $(BIN)/python || $(PYTHON) -c 'import ensurepip' 2>/dev/null || { \
		echo "Airwire is built in a virtual environment: apt-get install python3-venv (as root)." >&2; exit 1; }

$(VENV)/installer: requirements-installer.txt | tools
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements-installer.txt
	touch $@

# What builds Airwire and what it imports; `packages` has what tests and linters need as well.
$(VENV)/imported: requirements.txt $(VENV)/installer
	@tools/step "Installing the Python packages that Airwire imports and is built with" \
		$(INSTALL) --requirement requirements.txt
	touch $@

$(VENV)/packages: $(VENV)/imported requirements-dev.txt tests/drivers/requirements.txt tests/firmware/python/requirements.txt
	$(INSTALL) --requirement requirements-dev.txt
	$(INSTALL) --no-deps --requirement tests/drivers/requirements.txt
	$(INSTALL) --no-deps --only-binary :all: --requirement tests/firmware/python/requirements.txt \
		|| echo 'No MicroPython for this machine; its tests skip.'
	touch $@

# The package as editable: Python changes are live, Rust changes rebuild it. Its modules are compiled here, for machines on which
# Python is told to write no bytecode itself (PYTHONDONTWRITEBYTECODE) and hundreds of commands would each compile them again.
$(VENV)/installed: $(VENV)/imported $(RUST_SOURCES) pyproject.toml
	@VIRTUAL_ENV=$(CURDIR)/$(VENV) PIP_QUIET=1 tools/step "Compiling Airwire's core (some 4 minutes on 2 cores, when all is new)" \
		$(BIN)/maturin develop --release --locked
	$(BIN)/python -m airwire.report.libraries
	@$(BIN)/python -m compileall -q python/airwire
	touch $@

# The page of `airwire live`, with tools that are fetched for it; no other command needs it.
$(VENV)/node: web/requirements.txt | $(VENV)/imported
	@tools/step "Installing Node, which builds the live page, and what serves it (some 20 s)" \
		$(INSTALL) --requirement web/requirements.txt
	touch $@

$(VENV)/web: $(VENV)/node $(wildcard web/src/*) web/package.json web/package-lock.json web/tsconfig.json
	@tools/step "Building the live page" $(BIN)/python tools/package/build_web.py
	touch $@

web: $(VENV)/web ## Build the page of `airwire live` into the package

demo: cross-compiler $(VENV)/installed $(SITE) ## A slow board and its cause, the same one fixed, and links side by side: with what these need and no more
	$(call build_board,w5500-evb-pico,pingpong_client-lwip_raw pingpong_server-hardware)
	$(BIN)/airwire demo
	@tools/probe_a_served_board $(BIN)/airwire $(FIRMWARE)/w5500-evb-pico/pingpong_server-hardware.elf

# Ninja has jobs of its own, and takes none of make's.
# Each image for each board, into build/firmware/<board>. A virtual board boots the .elf, a real one
# the .uf2. cargo fetches lwIP and FreeRTOS (firmware/packages).
firmware: cross-compiler $(VENV)/installed $(SITE) $(SMALL_SITE) ## Build the firmware's images for every board
	$(foreach board,$(FIRMWARE_BOARDS) $(if $(shell command -v avr-gcc),$(AVR_BOARDS)),$(call build_board,$(board)))
	@command -v avr-gcc >/dev/null || { echo "There is no avr-gcc (Debian: gcc-avr avr-libc); the images of the boards with an AVR are left out." >&2; \
		test -z "$$AIRWIRE_REQUIRE"; }

# The pages of the web server, as C: those of a board with an AVR are few.
$(SITE): FOLDER := firmware/sites/demo
$(SMALL_SITE): FOLDER := firmware/sites/small
$(SITE) $(SMALL_SITE): $(shell find firmware/sites -type f) $(wildcard python/airwire/fsdata/*.py) | $(VENV)/installed
	@mkdir -p $(@D) && $(BIN)/airwire fsdata $(FOLDER) --out $@ >/dev/null

# All images of a board, or those that are named.
define build_board
@$(BIN)/airwire board header $(1) --out $(FIRMWARE)/$(1)/generated
@PATH="$(CURDIR)/$(BIN):$$PATH" cmake -S firmware -B $(FIRMWARE)/$(1) -G Ninja --log-level=WARNING -Wno-unused-cli \
	-DCMAKE_TOOLCHAIN_FILE=cmake/$(if $(filter $(AVR_BOARDS),$(1)),avr,arm-none-eabi).cmake -DBOARD_DIR=$(CURDIR)/$(FIRMWARE)/$(1)/generated \
	-DSITE_DIR=$(CURDIR)/$(FIRMWARE)/site$(if $(filter $(AVR_BOARDS),$(1)),_small) >/dev/null
@MAKEFLAGS= PATH="$(CURDIR)/$(BIN):$$PATH" tools/step "Building the firmware of $(1): $(or $(2),all images)" \
	cmake --build $(FIRMWARE)/$(1) $(if $(2),--target $(2)) -- --quiet

endef

# The images that the package's suites run, stripped, with their SHA-256: what the wheel carries.
IMAGES := python/airwire/images
PACKAGED = $(shell $(PYTHON) tools/package/package_images.py names)

images: cross-compiler avr-compiler $(VENV)/installed $(SITE) $(SMALL_SITE) ## Build the images that the package's suites run, and put them into the package
	$(foreach board,$(sort $(patsubst %/,%,$(dir $(PACKAGED)))),$(call \
		build_board,$(board),$(patsubst $(board)/%.elf,%,$(filter $(board)/%,$(PACKAGED)))))
	$(BIN)/python tools/package/package_images.py strip $(FIRMWARE) $(IMAGES)

wheel: images web ## Build the wheel and the source archive, with the images, into dist
	rm -rf dist
	@tools/step "Building the wheel" $(BIN)/maturin build --release --locked --out dist
	@tools/step "Building the source archive" $(BIN)/maturin sdist --out dist

cross-compiler:
	@command -v arm-none-eabi-gcc >/dev/null || { echo "The firmware needs arm-none-eabi-gcc with newlib: \
	apt-get install gcc-arm-none-eabi libnewlib-arm-none-eabi (as root)." >&2; exit 1; }

avr-compiler:
	@command -v avr-gcc >/dev/null || { echo "The package's images for boards with an AVR need avr-gcc: \
	apt-get install gcc-avr avr-libc (as root)." >&2; exit 1; }

test: lint test-rust test-python ## Lint and test everything that is fast

# The linter of Rust needs nothing of Python's packages, which are installed meanwhile.
lint:
	@$(MAKE) --no-print-directory -j2 --output-sync=target lint-rust lint-others

# The fuzz targets are no part of the workspace: a crate that is added to it must be locked there too.
format-rust:
	cargo fmt --all --check
	cargo update --quiet --manifest-path fuzz/Cargo.toml --workspace --locked

lint-rust: format-rust
	cargo clippy --workspace --features airwire-py/extension-module --all-targets --release --locked -- -D warnings

lint-others: $(VENV)/packages
	$(BIN)/ruff format --check python tests benches tools firmware/python
	$(BIN)/ruff check python tests benches tools firmware/python
	$(BIN)/mypy
	find firmware -name '*.[ch]' | xargs $(BIN)/clang-format --dry-run --Werror

# Tests of images that are not there skip.
firmware-or-not: $(VENV)/packages $(VENV)/installed
	@if command -v arm-none-eabi-gcc >/dev/null; then $(MAKE) firmware; \
		else echo "There is no arm-none-eabi-gcc; tests of the firmware's images skip."; fi

# What the tests run, built side by side, and what else there is to do meanwhile: a link or a compiler that uses one processor leaves the
# other to the rest.
MEANWHILE ?=
builds:
	@$(MAKE) --no-print-directory -j3 firmware-or-not rust-tests web $(MEANWHILE)

rust-tests: $(VENV)/installed
	cargo test --workspace --features airwire-py/extension-module --release --locked --quiet --no-run

# The cases of property tests are the same in each run, so that a change is judged by what it changed. Others come with
# `make properties`. cargo is not given make's jobs, and would complain that it cannot reach them.
test-rust: builds
	MAKEFLAGS= PROPTEST_RNG_SEED=1 cargo test --workspace --features airwire-py/extension-module --release --locked --quiet

random-images: ## Run random images of RANDOM_INSTRUCTIONS on a virtual RP2040, and as many on AVRs, with overflow checks
	AIRWIRE_RANDOM_INSTRUCTIONS=$(RANDOM_INSTRUCTIONS) cargo test --profile checked --locked --quiet \
		-p airwire-rp2040 -p airwire-avr --test random_images --test random_programs

# How long each test took is kept in build/test-results. A process more than a small machine has processors, as some
# tests wait for real clocks; the longest files come first (tests/order.py). Tests that call make have jobs of their own.
test-python: builds
	MAKEFLAGS= $(BIN)/python -m pytest -n $(TEST_PROCESSES) --dist loadfile --no-loadscope-reorder --durations 20 \
		--junit-xml build/test-results/python.xml

properties: builds ## Property tests with cases that no run had before, PROPERTY_CASES (6000) where a test sets no number
	PROPTEST_CASES=$(PROPERTY_CASES) cargo test --workspace --features airwire-py/extension-module --release --locked --quiet
	AIRWIRE_PROPERTY_CASES=$(PROPERTY_CASES) $(BIN)/python -m pytest --hypothesis-profile random \
		$$(grep -rl --include='*.py' '^from hypothesis' tests)

test-slow: lint-rust $(VENV)/packages $(VENV)/installed web random-images properties ## Tests that take minutes: large files, memory, random images with overflow checks, drivers with 1 MB
	$(BIN)/python -m pytest --slow -m slow
	AIRWIRE_TRANSFER_BYTES=1048576 cargo test --release --locked --quiet -p airwire-lan --test drivers --test lan_faults
	cargo test --release --locked --quiet -p airwire-rp2040 --lib pio::tests::differential -- --ignored
	cargo test --release --locked --quiet -p airwire-rp2040 --test chip -- --ignored

soak: $(VENV)/packages firmware ## SOAK_HOURS (24) virtual hours of mixed traffic on each transport, within an hour; goes on where it was interrupted
	PYTHONPATH=tests/firmware $(BIN)/python -m soak --hours $(SOAK_HOURS) --out runs/soak

fuzz: fuzz-firmware fuzz-readers ## Fuzz everything, each target for FUZZ_SECONDS (600) of a processor: seven hours of one in all

# libFuzzer's coverage is a pass of the stable compiler; no nightly is needed. Checks of overflow are on.
FUZZ_TARGET_DIR := target/fuzz
FUZZ_HOST := $(shell rustc -vV 2>/dev/null | sed -n 's/^host: //p')
FUZZ_RUSTFLAGS := --cfg fuzzing -Cdebug-assertions -Coverflow-checks -Cpasses=sancov-module \
	$(foreach option,level=4 inline-8bit-counters pc-table trace-compares,-Cllvm-args=-sanitizer-coverage-$(option))

fuzz-readers: ## Random images for 10^9 instructions of each chip, drivers with 10 MB, then fuzz every reader for FUZZ_SECONDS each
	$(MAKE) random-images RANDOM_INSTRUCTIONS=1000000000
	AIRWIRE_TRANSFER_BYTES=10485760 cargo test --release --locked --quiet -p airwire-lan --test drivers
	$(MAKE) fuzz-targets

fuzz-targets: ## Fuzz FUZZ_TARGETS for FUZZ_SECONDS each, from where the last run was stopped; what breaks one goes to build/fuzz
	RUSTFLAGS="$(FUZZ_RUSTFLAGS)" CARGO_TARGET_DIR=$(FUZZ_TARGET_DIR) \
		cargo build --manifest-path fuzz/Cargo.toml --release --locked --target $(FUZZ_HOST)
	$(PYTHON) tools/fuzz/run_targets.py --seconds $(FUZZ_SECONDS) --program "$(FUZZ_TARGET_DIR)/$(FUZZ_HOST)/release/{}" \
		--corpus fuzz/corpus --found build/fuzz --state build/fuzz/done.json --option=-max_len=4096 --option=-rss_limit_mb=1024 \
		--option=-timeout=20 $(FUZZ_TARGETS)

FUZZ_FIRMWARE := build/fuzz-firmware

fuzz-firmware: $(VENV)/installed ## Fuzz the firmware's C on this machine, each target for FUZZ_SECONDS (clang with libFuzzer)
	@command -v clang >/dev/null || { echo "Fuzzing the firmware needs clang with libFuzzer: \
	apt-get install clang libclang-rt-14-dev (as root)." >&2; exit 1; }
	mkdir -p $(FUZZ_FIRMWARE)/site
	$(BIN)/airwire fsdata firmware/tests/http/site --out $(FUZZ_FIRMWARE)/site/site.c --gzip >/dev/null
	PATH="$(CURDIR)/$(BIN):$$PATH" cmake -S firmware/tests -B $(FUZZ_FIRMWARE) -G Ninja --log-level=WARNING \
		-DCMAKE_C_COMPILER=clang -DFUZZ=ON -DSITE_DIR=$(CURDIR)/$(FUZZ_FIRMWARE)/site >/dev/null
	PATH="$(CURDIR)/$(BIN):$$PATH" cmake --build $(FUZZ_FIRMWARE) --target $(foreach target,$(FUZZ_FIRMWARE_TARGETS),fuzz_$(firstword $(subst =, ,$(target))))
	$(PYTHON) tools/fuzz/run_targets.py --seconds $(FUZZ_SECONDS) --program "$(FUZZ_FIRMWARE)/fuzz_{}" --corpus firmware/fuzz/corpus \
		--found $(FUZZ_FIRMWARE)/found --state $(FUZZ_FIRMWARE)/done.json --option=-max_len=2048 $(FUZZ_FIRMWARE_TARGETS)

bench: $(VENV)/installed ## Airwire's own speed, side by side with its peers
	$(BIN)/uv pip install --quiet --python $(BIN)/python numpy
	$(BIN)/python -m benches

site: $(VENV)/packages $(VENV)/installed ## Build the documentation site into build/site; a warning, such as of a broken link, is an error
	$(BIN)/python -m sphinx -q -W --keep-going -d build/site.doctrees docs build/site

docs: $(VENV)/packages firmware web ## Draw and compute the documents anew (needs Chromium, and the captures in ../shared/captures)
	$(BIN)/python tools/documents/pictures.py
	$(BIN)/python tools/documents/live_page.py
	$(BIN)/python tools/documents/live_view.py
	$(BIN)/python tools/documents/wifi_hop_fit.py
	$(BIN)/python tools/documents/tick_beat.py --captures ../shared/captures
	$(BIN)/python tools/documents/board_timing.py
	$(BIN)/python tools/documents/firmware_sizes.py
	$(BIN)/python tools/documents/firmware_settings.py
	$(BIN)/python tests/firmware/python/ping_pong_rates.py
	PYTHONPATH=tests $(BIN)/python tests/docs/docs_console.py

LOCKED := --quiet --generate-hashes --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --strip-extras --no-header

lock: ## Pin the Python packages anew; with the oldest Python that is supported, such as PYTHON=/usr/bin/python3 of Debian 12
	$(PYTHON) -m venv $(CURDIR)/target/lock-venv
	target/lock-venv/bin/pip install --quiet pip-tools
	target/lock-venv/bin/pip-compile $(LOCKED) --output-file requirements-installer.txt requirements-installer.in
	for part in '' -dev; do \
		target/lock-venv/bin/pip-compile $(LOCKED) --output-file requirements$$part.txt \
			pyproject.toml requirements$$part.in || exit 1; \
	done
	target/lock-venv/bin/pip-compile $(LOCKED) --output-file web/requirements.txt web/requirements.in

clean: ## Remove everything that was built
	rm -rf $(VENV) target build dist runs fuzz/target $(IMAGES) web/node_modules python/airwire/live/assets
