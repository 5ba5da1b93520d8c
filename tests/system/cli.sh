#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tests/system/cli.sh BERM: the tests of the command line, as TAP, and those of the guard and
# of berm sandbox.
set -euo pipefail
BERM=$(realpath "${1:?usage: cli.sh BERM}")
export BERM
here=$(dirname "$0")
exec bats --tap "$here/cli.bats" "$here/guard.bats" "$here/sandbox.bats"
