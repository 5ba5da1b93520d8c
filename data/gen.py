#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns the plain lists of this folder into C arrays.

gen.py OUT LIST...: a line is an entry, "#" begins a comment line, "@name" sets the
group of the lines that follow. Each entry keeps its line number, so that a
built-in rule can say where it was written.
"""
import os
import re
import sys


def quote(text):
    out = []
    for byte in text.encode():
        char = chr(byte)
        if char in '"\\?' or byte < 0x20 or byte > 0x7E:
            out.append("\\%03o" % byte)
        else:
            out.append(char)
    return '"' + "".join(out) + '"'


def entries(path):
    group = None
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            text = line.strip()
            if not text or text.startswith("#"):
                continue
            if text.startswith("@"):
                if not re.fullmatch(r"@[a-z][a-z0-9-]*", text):
                    sys.exit("%s:%d: bad group name %s" % (path, number, text))
                group = text[1:]
                continue
            yield text, group, number


def main():
    out, lists = sys.argv[1], sys.argv[2:]
    code = ['#include "policy/data.h"\n\n']
    for path in lists:
        name = os.path.basename(path)
        ident = "data_" + name.replace("-", "_")
        rows = list(entries(path))
        seen = set()
        for text, _, number in rows:
            if text in seen:
                sys.exit("%s:%d: %s is there twice" % (path, number, text))
            seen.add(text)
        code.append("static const struct data_entry %s_rows[] = {\n" % ident)
        for text, group, number in rows:
            code.append("\t{ %s, %s, %d },\n" % (quote(text), quote(group) if group else "NULL", number))
        code.append("};\nconst struct data_list %s = { %s, %s_rows, %d };\n\n"
                    % (ident, quote("data/" + name), ident, len(rows)))
    with open(out, "w", encoding="utf-8") as f:
        f.write("".join(code))


main()
