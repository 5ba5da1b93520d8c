#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tests/system/cli.sh BERM: the tests of the command line, as TAP.
set -euo pipefail
BERM=$(realpath "${1:?usage: cli.sh BERM}")
export BERM
exec bats --tap "$(dirname "$0")/cli.bats"
