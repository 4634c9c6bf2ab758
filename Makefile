# Targets only call scripts/ and build.gradle.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory
.PHONY: help setup build run demo test chaos bench dist format clean

# Includes directories, whose modification time changes when a file is added or removed. So `make run` starts Gradle
# only after a change.
PROGRAM := build/.installed
INPUTS := $(shell find src/main conf manifests build.gradle settings.gradle gradle.properties LICENSE 2>/dev/null)

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install missing packages for all targets
	@scripts/setup build test bench demo

build: $(PROGRAM) ## compile; the program is build/install/mooring/bin/mooring

run: $(PROGRAM) ## build and start the server, data under var/ (ARGS="--listen 127.0.0.1:0"); starts Docker if needed
	@exec scripts/run $(ARGS)

demo: $(PROGRAM) ## show claims, Pods on Docker and volume expansion in a minute (as root); cleans up
	@scripts/demo

test: ## run style checks and all tests (TESTS=Ledger.*crash or TAG=name: only those tests, no style checks)
	@scripts/test

chaos: ## run with injected faults, simulated and real (SEED=n: repeat that simulation run; DURATION=seconds)
	@scripts/chaos

bench: ## run benchmarks: a table on the screen, JSON in build/bench (ARGS=..., BENCH_JVM="-Xmx2g")
	@scripts/bench $(ARGS)

dist: $(PROGRAM) ## build the tar.gz and the .deb in build/dist (docs/install.md)
	@scripts/dist

format: ## format the Java sources
	@scripts/setup build
	@scripts/gradle -q format

clean: ## remove build/ (not var/)
	@rm -rf build .gradle

$(PROGRAM): $(INPUTS)
	@scripts/setup build
	@scripts/gradle -q installDist
	@scripts/with-jdk build/install/mooring/lib/class-archive
	@touch $@
