#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tools/install.sh DESTDIR PREFIX: installs the release build.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${BERM_BUILD:-build}/release
prefix=${2:-/usr/local}

# Setting an option regenerates the build: only when it changes.
now=$(python3 -c '
import json, sys
options = json.load(open(sys.argv[1] + "/meson-info/intro-buildoptions.json"))
print(next(o["value"] for o in options if o["name"] == "prefix"))' "$build")
if [[ $now != "$prefix" ]]; then
	meson configure "$build" -Dprefix="$prefix"
	tools/build.sh release
fi
DESTDIR=${1:-} meson install -C "$build" --no-rebuild --quiet
