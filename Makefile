# Shortcuts only: each runs cargo or a script of tools/, which say themselves what they need.
# The module is built in release mode, and the tests run against that file. They themselves, and lints, take the dev profile:
# an answer in seconds.
.DEFAULT_GOAL := help
.PHONY: help deps servers clients build faults run test unit test-faults test-examples fuzz prove lint clean distclean image test-image dist install bench soak fuzz-parser check-fuzz hostile valgrind
.NOTPARALLEL:

export CARGO_TARGET_DIR ?= $(CURDIR)/target
export EGG_MODULE ?= $(CARGO_TARGET_DIR)/release/libegg.so
export EGG_FAULTS_MODULE ?= $(CARGO_TARGET_DIR)/faults/release/libegg.so
export EGG_SERVERS ?= $(CURDIR)/.servers
CARGO := tools/with-libclang cargo

help: ## Show this help
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

deps: ## Find libclang, which the build needs, or get it (every build does so by itself)
	@tools/with-libclang true

servers: ## Fetch the test servers into .servers/ (about 160 MB, once)
	@tools/fetch-servers

clients: # The client libraries that the tests call, in .python/
	@tools/python-env >/dev/null

build: ## Build the module: target/release/libegg.so
	$(CARGO) build --release

run: ## Start Redis 7.4 with the module: PORT=6379, or on your own server: REDIS_SERVER=/path/to/redis-server
	@tools/run --check
	@$(if $(REDIS_SERVER),true,tools/fetch-servers redis-7.4)
	$(CARGO) build --release
	@tools/run

faults: # The module with a command that does wrong, for the tests that the server survives it: where nobody installs from
	$(CARGO) build --release --features faults --target-dir $(CARGO_TARGET_DIR)/faults

test: servers clients build ## Run all tests on real servers, or some: TESTS=ackdel; REDIS_SERVER= takes the place of Redis 7.4
	$(CARGO) test --workspace -- $(TESTS)

unit: ## Run the tests that need no server and no libclang: two seconds after an edit
	cargo test --package egg-core

test-faults: servers faults build ## Run the tests of a module that does wrong on purpose
	$(CARGO) test --test it -- --ignored faults::

test-examples: servers clients build ## Run examples/*/test against Redis 7.4 with the module, or some: EXAMPLES="keda eggai"
	@tools/test-examples $(EXAMPLES)

fuzz: servers build ## Hold random histories against Redis 8.2: RUNS=20000 SEED=, on TARGET=valkey-9.1 instead of Redis 7.4
	EGG_FUZZ_RUNS=$(or $(RUNS),20000) EGG_FUZZ_SEED=$(SEED) EGG_FUZZ_TARGET=$(TARGET) \
		$(CARGO) test --test it fuzz::same_as_redis_8_2 -- --nocapture

fuzz-parser: ## Fuzz the parsers, guided by coverage, for SECONDS=300 (libFuzzer; needs g++)
	@tools/fuzz-parser $(or $(SECONDS),300)

check-fuzz: # That the fuzzer of the parsers still builds (needs g++)
	cargo check --quiet --locked --manifest-path fuzz/Cargo.toml

hostile: servers build ## Send CALLS=1000000 hostile calls to Redis 7.4, a tenth to each other server; SEED=
	EGG_HOSTILE_CALLS=$(or $(CALLS),1000000) EGG_HOSTILE_SEED=$(SEED) \
		$(CARGO) test --test it hostile_fuzz -- --nocapture

valgrind: servers faults build ## Run the tests on Valkey under valgrind memcheck (half an hour); TESTS=ackdel for some
	@tools/valgrind $(TESTS)

prove: servers build ## The long proofs: 300 kills, 10 minutes of concurrent clients, clusters, truncated files, memory; then fuzz and hostile
	EGG_KILLS=100 $(CARGO) test --test it -- --nocapture moves_survive_crashes crash_mix
	EGG_CONCURRENT_SECONDS=200 $(CARGO) test --test it -- --nocapture --test-threads=1 concurrent::
	EGG_CLUSTERS=1 $(CARGO) test --test it -- --nocapture --test-threads=1 clusters::
	EGG_TRUNCATED_AOF=1 $(CARGO) test --test it -- --nocapture truncated_aof
	EGG_MEMORY_CALLS=1000000 $(CARGO) test --test it memory -- --nocapture
	@$(MAKE) fuzz
	@$(MAKE) hostile
	@$(MAKE) test-faults

bench: servers build ## Measure it beside what it takes the place of, into docs/: PART=compare, ONLY="in order", QUICK=1 for a smoke test
	EGG_BENCH_PART=$(PART) EGG_BENCH_ONLY="$(ONLY)" EGG_BENCH_QUICK=$(QUICK) $(CARGO) bench --bench streams

soak: servers build ## Work without end, every message accounted for: MINUTES=30
	EGG_SOAK_SECONDS=$$(( $(or $(MINUTES),30) * 60 )) $(CARGO) test --test it -- --nocapture soak

lint: ## Check format, lints, documentation and scripts
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --all-features -- -D warnings
	RUSTDOCFLAGS="-D warnings -A rustdoc::private-intra-doc-links" $(CARGO) doc --workspace --no-deps --document-private-items
	@tools/check-scripts

image: ## Build the container image egg:latest with docker, podman or buildah: SERVER= and BUILDER= name other base images
	tools/image

test-image: # Build that image on stand-ins for its base images, as root on Debian, and start what is in it
	tools/test-image

dist: build ## Pack the module into dist/egg-VERSION-linux-ARCH.tar.gz, and print which glibc it needs
	tools/dist

install: ## Install what was built: PREFIX=/usr/local, DESTDIR=
	@tools/install

clean: ## Remove what was built
	cargo clean

distclean: clean ## Remove what was fetched, too
	rm -rf .servers .libclang .python* dist .tools examples/clients/node_modules
