# What a newcomer needs; Meson and Ninja do the work. Every target installs the
# packages it misses (Debian names; as root or through sudo), or prints the one
# line that does.
#
#   make run CMD='npm test' [DIR=path]   run a command inside the wall
#   make check [CHECKS='name ...']       all tests and checks
#   make deb                    Debian packages, in build/deb
#   make bench | fuzz [TIME=60] | peers | lint | format | install | clean

BERM_BUILD ?= build
PREFIX ?= /usr/local
DESTDIR ?=
CMD ?=
DIR ?= .
TIME ?= 60
CHECKS ?=
ARGS ?=

# The command reaches the shell through the environment, byte for byte: make
# must not expand the dollars in it.
unexport CMD
export BERM_RUN_CMD = $(value CMD)
export BERM_RUN_DIR = $(value DIR)
export BERM_BUILD

all: build

build:
	@tools/deps.sh build
	@tools/build.sh release

run:
	@tools/deps.sh build
	@tools/build.sh release >&2
	@tools/run.sh $(ARGS)

check:
	@tools/deps.sh build check
	@tools/check.sh $(CHECKS)

lint:
	@tools/deps.sh build check
	@tools/check.sh lint

format:
	@tools/deps.sh check
	@tools/format.sh --fix

bench:
	@tools/deps.sh build peers
	@tools/build.sh release
	@tests/bench/run.sh $(BERM_BUILD)/release/berm $(ARGS)

fuzz:
	@tools/deps.sh build check
	@tools/fuzz.sh $(TIME) $(ARGS)

peers:
	@tools/deps.sh build check peers
	@tools/build.sh release
	@tests/peers/run.sh $(BERM_BUILD)/release/berm $(ARGS)

install:
	@tools/deps.sh build
	@tools/build.sh release
	@tools/install.sh "$(DESTDIR)" "$(PREFIX)"

deb:
	@tools/deps.sh build deb
	@tools/deb.sh

clean:
	rm -rf $(BERM_BUILD)/package $(BERM_BUILD)/deb $(BERM_BUILD)/release $(BERM_BUILD)/gcc $(BERM_BUILD)/clang $(BERM_BUILD)/asan $(BERM_BUILD)/analyzer $(BERM_BUILD)/fuzz $(BERM_BUILD)/check

.PHONY: all build run check lint format bench fuzz peers install deb clean
