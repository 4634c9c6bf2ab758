# Thin on purpose: what a target does is in scripts/ and build.gradle.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory
.PHONY: help setup build run demo test chaos bench format clean

# Directories are listed too: their time changes when a file is added or removed. So `make run` starts Gradle only
# after a change, and the second one is instant.
PROGRAM := build/.installed
INPUTS := $(shell find src/main conf manifests build.gradle settings.gradle gradle.properties LICENSE 2>/dev/null)

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install what the machine lacks for all targets
	@scripts/setup build test bench demo

build: $(PROGRAM) ## compile; the program is build/install/mooring/bin/mooring

run: $(PROGRAM) ## build and start the whole system, data under var/ (ARGS="--listen 127.0.0.1:0")
	@exec build/install/mooring/bin/mooring server --config conf/mooring.yaml --data var $(ARGS)

demo: $(PROGRAM) ## all it does, shown in a minute: claims, Pods on Docker, a disk that grows; as root, leaves nothing behind
	@scripts/demo

test: ## style checks and all tests (TESTS=Ledger.*crash or TAG=name: only those tests, no style checks)
	@scripts/test

chaos: ## faults of every kind, simulated and real (SEED=n: that simulated life again; DURATION=seconds)
	@scripts/chaos

bench: ## benchmarks: a table here, JSON in build/bench (ARGS=..., BENCH_JVM="-Xmx2g")
	@scripts/bench $(ARGS)

format: ## rewrite the Java sources in the common format
	@scripts/setup build
	@scripts/gradle -q format

clean: ## remove build/ (not var/)
	@rm -rf build .gradle

$(PROGRAM): $(INPUTS)
	@scripts/setup build
	@scripts/gradle -q installDist
	@scripts/class-archive
	@touch $@
