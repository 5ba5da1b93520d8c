#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tools/codespell.sh [ROOT]: spelling of everything tracked;
# tools/codespell.txt holds the words it must let pass.
set -euo pipefail
tools=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$tools/..}"
git ls-files -z -- . ':!LICENSE' ':!tests/fuzz/corpus' |
	xargs -0r codespell --ignore-words "$tools/codespell.txt" --
