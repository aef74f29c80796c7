# specreg in a few words; CMake does the work (CMakePresets.json).  Each target first lets
# tools/setup install the Debian packages that are missing.
#
#   make           build/specreg, build/specreg-experiments, build/libspecreg.so, build/libspecreg.a
#   make python    build/python, the Python package; make -s python-path prints that folder
#   make demo      a first example from start to end
#   make test      the tests of the release build, but the long ones: minutes
#   make test-all  also under sanitizers, numbers with two threads, on older instruction sets, by plain LAPACK
#   make long      the long tests
#   make bench     measurements
#   make bench-plan  predicted and measured times of fits
#   make bench-large fewer centres than rows, up to ten million rows: a quarter of an hour, 2 GB in /tmp
#   make experiments  the papers' experiments, and docs/EXPERIMENTS.md from what they measure: hours
#   make figures   the pictures of the report page in docs/figures; needs Node and Chromium
#   make install   into PREFIX (/usr/local), below DESTDIR where that is set
#   make asan      the tests under the address and undefined-behaviour sanitizers alone
#   make fuzz      FUZZ_SECONDS (60) of every fuzz target; needs clang
#   make coverage  which lines the tests reach; needs gcovr
#   make harden    what was tried against crashes and loss, and what it found, as one table: hours
#   make clean     removes build*/
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
TEST_JOBS ?= 2
FUZZ_SECONDS ?= 60
MAKEFLAGS += --no-print-directory
export CMAKE_GENERATOR ?= $(if $(shell command -v ninja),Ninja,Unix Makefiles)

# $(call build,PRESET,FOLDER,TARGETS)
build = cmake --preset $(1) >/dev/null && cmake --build $(2) --parallel $(JOBS) --target $(3)
ctest = ctest --output-on-failure --parallel $(TEST_JOBS)

all:
	@tools/setup build
	@$(call build,release,build,all)

python:
	@tools/setup build
	@$(call build,release,build,specreg_python)

python-path:
	@echo $(CURDIR)/build/python

demo: all
	@SPECREG=build/specreg sh examples/demo.sh

test:
	@tools/setup test
	@$(call build,release,build,all tests)
	@$(ctest) --test-dir build -LE 'long|variant'; \
	    status=$$?; tools/worst_errors build; exit $$status

test-all: test
	@$(call build,asan,build-asan,tests)
	@SPECREG_TEST_ALSO=$(CURDIR)/build-asan $(ctest) --test-dir build -L variant -LE long

long:
	@tools/setup test
	@$(call build,release,build,all tests)
	@$(ctest) --test-dir build -L long

bench: all
	@tools/setup bench
	@SPECREG=build/specreg bench/run

bench-large: all
	@tools/setup bench
	@tools/python3 bench/large.py build

bench-plan: all
	@tools/setup bench
	@tools/python3 bench/plan.py build

experiments: all
	@tools/setup test
	@tools/python3 experiments/page.py run build
	@tools/python3 experiments/page.py write build

figures: all
	@sh tests/browser/pictures.sh

install: all
	@DESTDIR=$(DESTDIR) cmake --install build --prefix $(PREFIX)

asan:
	@tools/setup test
	@$(call build,asan,build-asan,tests)
	@$(ctest) --test-dir build-asan

fuzz:
	@tools/setup test
	@$(call build,fuzz,build-fuzz,tests)
	@for target in build-fuzz/tests/bin/fuzz.*; do \
	    FUZZ_SECONDS=$(FUZZ_SECONDS) fuzz/run $$target build-fuzz/corpus || exit 1; \
	done

coverage:
	@tools/setup test
	@tools/harden coverage
	@cat build-harden/coverage-lines

harden:
	@tools/setup test
	@tools/harden

clean:
	rm -rf build build-*

.PHONY: all python python-path demo test test-all long bench bench-large bench-plan figures experiments install asan fuzz coverage harden clean
