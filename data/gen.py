#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns the plain lists of this folder into C arrays.

gen.py OUT LIST...: a line is an entry, "#" begins a comment line, "@name" sets the
group of the lines that follow. Each entry keeps its line number, so that a
built-in rule can say where it was written.

"address-ranges" becomes an array of prefixes in binary: they are compared with
each address that is dialled. "domains/NAME" are the groups of hosts; an index of
all of them is added.
"""
import ipaddress
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


def ranges(path):
    group, hard = None, True
    rows = []
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            text = line.strip()
            if not text or text.startswith("#"):
                continue
            mark = re.fullmatch(r"@([a-z][a-z-]*)( soft)?", text)
            if mark:
                group, hard = mark[1].replace("-", " "), not mark[2]
                continue
            try:
                net = ipaddress.ip_network(text)
            except ValueError as e:
                sys.exit("%s:%d: %s" % (path, number, e))
            rows.append("\t{ %d, %d, %d, { %s }, %s },\n" % (
                net.version == 6, net.prefixlen, hard,
                ", ".join("0x%02x" % b for b in net.network_address.packed), quote(group)))
    return ("const struct data_range data_address_ranges[] = {\n%s};\n"
            "const size_t data_address_ranges_n = %d;\n\n" % ("".join(rows), len(rows)))


def table(ident, rows):
    """One text, and places in it: pointers would have to be set at each start."""
    text, size, places = [], 0, {}

    def place(string):
        nonlocal size
        if string not in places:
            places[string] = size
            text.append("\t%s \"\\0\"\n" % quote(string))
            size += len(string.encode()) + 1
        return places[string]

    place("")
    lines = ["\t{ %d, %d, %d },\n" % (place(entry), place(group or ""), number) for entry, group, number in rows]
    return "static const char %s_text[] =\n%s;\nstatic const struct data_row %s_rows[] = {\n%s};\n" % (
        ident, "".join(text), ident, "".join(lines) or "\t{ 0, 0, 0 },\n")


def main():
    out, lists = sys.argv[1], sys.argv[2:]
    code = ['#include "policy/data.h"\n#include "shell/data.h"\n\n']
    groups = []
    for path in lists:
        name = os.path.basename(path)
        if name == "address-ranges":
            code.append(ranges(path))
            continue
        static = ""
        if os.path.basename(os.path.dirname(path)) == "domains":
            groups.append(name)
            name, static = "domains/" + name, "static "
        ident = "data_" + re.sub("[-/]", "_", name)
        rows = list(entries(path))
        seen = set()
        for text, _, number in rows:
            if text in seen:
                sys.exit("%s:%d: %s is there twice" % (path, number, text))
            seen.add(text)
        code.append(table(ident, rows))
        code.append("%sconst struct data_list %s = { %s, %s_text, %s_rows, %d };\n\n"
                    % (static, ident, quote("data/" + name), ident, ident, len(rows)))
    code.append("const struct data_group data_domain_groups[] = {\n")
    for name in groups:
        code.append("\t{ %s, &data_domains_%s },\n" % (quote(name), name.replace("-", "_")))
    code.append("};\nconst size_t data_domain_groups_n = %d;\n" % len(groups))
    with open(out, "w", encoding="utf-8") as f:
        f.write("".join(code))


main()
