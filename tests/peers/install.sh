#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tests/peers/install.sh DIR NAME...: puts those of the sandboxes NAME... that npm has and that are
# not on the PATH into DIR (BERM_PEERS for the adapters). What is there already stays; one that
# cannot be had is said so, and its users say again that it does not run.
set -uo pipefail
declare -A package=([srt]=@anthropic-ai/sandbox-runtime [codex]=@openai/codex)
dir=${1:?usage: install.sh DIR NAME...}
shift
mkdir -p "$dir" || exit 1
for name; do
	if [[ -z ${package[$name]:-} || -e $dir/node_modules/.bin/$name ]] || command -v "$name" >/dev/null; then
		continue
	fi
	npm install --silent --no-fund --no-audit --prefix "$dir" "${package[$name]}" >&2 ||
		echo "# $name cannot be installed here" >&2
done
