# Shortcuts only: each runs cargo or a script of tools/, which say themselves what they need.
# Everything is built in release mode, tests and lint too: one profile, so no dependency is compiled twice.
.DEFAULT_GOAL := help
.PHONY: help deps servers clients build faults run test fuzz fuzz-parser hostile valgrind prove lint clean distclean
.NOTPARALLEL:

export CARGO_TARGET_DIR ?= $(CURDIR)/target
export EGG_MODULE ?= $(CARGO_TARGET_DIR)/release/libegg.so
export EGG_FAULTS_MODULE ?= $(CARGO_TARGET_DIR)/release/libegg-faults.so
export EGG_SERVERS ?= $(CURDIR)/.servers
CARGO := tools/with-libclang cargo

help: ## Show this help
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

deps: ## Find libclang, which the build needs, or get it (every build does so by itself)
	@tools/with-libclang true

servers: ## Fetch the test servers into .servers/ (about 80 MB, once)
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

faults: # The module with a command that panics, for the test that the server survives it
	$(CARGO) build --release --features faults
	@cp $(CARGO_TARGET_DIR)/release/libegg.so $(EGG_FAULTS_MODULE)

test: servers clients faults build ## Run all tests on real servers, or some: TESTS=ackdel; REDIS_SERVER= takes the place of Redis 7.4
	$(CARGO) test --release -- $(TESTS)

fuzz: servers build ## Hold random histories against Redis 8.2: RUNS=20000 SEED=, on TARGET=valkey-9.1 instead of Redis 7.4
	EGG_FUZZ_RUNS=$(or $(RUNS),20000) EGG_FUZZ_SEED=$(SEED) EGG_FUZZ_TARGET=$(TARGET) \
		$(CARGO) test --release --test it fuzz::same_as_redis_8_2 -- --nocapture

fuzz-parser: ## Fuzz the parsers, guided by coverage, for SECONDS=300 (libFuzzer; needs g++)
	@tools/fuzz-parser $(or $(SECONDS),300)

hostile: servers faults build ## Send CALLS=1000000 hostile calls to Redis 7.4, a tenth to each other server; SEED=
	EGG_HOSTILE_CALLS=$(or $(CALLS),1000000) EGG_HOSTILE_SEED=$(SEED) \
		$(CARGO) test --release --test it hostile_fuzz -- --nocapture

valgrind: servers faults build ## Run the tests on Valkey under valgrind memcheck (half an hour); TESTS=ackdel for some
	@tools/valgrind $(TESTS)

prove: servers faults build ## The long proofs: 100 kills while entries are moved, a million calls of each command, fuzz, hostile
	EGG_KILLS=100 $(CARGO) test --release --test it moves_survive_crashes -- --nocapture
	EGG_MEMORY_CALLS=1000000 $(CARGO) test --release --test it memory -- --nocapture
	@$(MAKE) fuzz
	@$(MAKE) hostile

lint: ## Check format and lints
	$(CARGO) fmt --check
	$(CARGO) clippy --release --all-targets --all-features -- -D warnings

clean: ## Remove what was built
	cargo clean

distclean: clean ## Remove what was fetched, too
	rm -rf .servers .libclang .python
