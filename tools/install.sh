#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tools/install.sh DESTDIR PREFIX: installs the gcc build.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${BERM_BUILD:-build}/gcc
prefix=${2:-/usr/local}

# Setting an option regenerates the build: only when it changes.
now=$(python3 -c '
import json, sys
options = json.load(open(sys.argv[1] + "/meson-info/intro-buildoptions.json"))
print(next(o["value"] for o in options if o["name"] == "prefix"))' "$build")
[[ $now == "$prefix" ]] || meson configure "$build" -Dprefix="$prefix"
DESTDIR=${1:-} meson install -C "$build" --quiet
