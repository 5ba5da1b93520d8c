#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/policy.schema.json says what src/policy/parse.c, parse_guard.c, parse_net.c and settings.c take.

schema.py ROOT: compares keys and values, both ways.
"""
import json
import os
import re
import sys


def names(text, table):
    body = re.search(r"%s\[\] = \{(.*?)\n\s*\};" % re.escape(table), text, re.S).group(1)
    return set(re.findall(r'\{\s*"([^"]+)"', body))


def c_list(text, table):
    body = re.search(r"%s\[\] = \{(.*?)\};" % re.escape(table), text, re.S).group(1)
    return [s for s in re.findall(r'"([^"]+)"', body)]


def main():
    root = sys.argv[1]
    with open(root + "/docs/policy.schema.json", encoding="utf-8") as f:
        schema = json.load(f)
    with open(root + "/src/policy/parse.c", encoding="utf-8") as f:
        parse = f.read()
    with open(root + "/src/policy/settings.c", encoding="utf-8") as f:
        settings = f.read()
    props = schema["properties"]
    nested = re.findall(r"static int take_(\w+)\([^{]*\{\s*static const struct key keys\[\] = \{(.*?)\n\s*\};",
                        parse, re.S)
    wrong = []

    def same(what, got, want):
        if set(got) != set(want):
            wrong.append("%s: schema %s, code %s" % (what, sorted(got), sorted(want)))

    same("keys", props, names(parse, "top_keys"))
    if len(nested) != 2:
        wrong.append("found %d nested tables, not 2" % len(nested))
    for name, body in nested:
        same(name, props[name]["properties"], re.findall(r'\{\s*"([^"]+)"', body))
    with open(root + "/src/policy/parse_net.c", encoding="utf-8") as f:
        net = f.read()
    network = props["network"]["properties"]
    tables = re.findall(r"\bint (?:take|parse)_(\w+)\([^{]*\{\s*static const struct key keys\[\] = \{(.*?)\n\s*\};",
                        net, re.S)
    same("network's tables", [name for name, _ in tables], ["network", "upstream"])
    for name, body in tables:
        want = network if name == "network" else network["upstream_proxy"]["properties"]
        same(name, want, re.findall(r'\{\s*"([^"]+)"', body))
    with open(root + "/src/policy/parse_guard.c", encoding="utf-8") as f:
        guard = f.read()
    rule = schema["definitions"]["guard_rule"]["properties"]
    same("guard", props["guard"]["properties"], names(guard, " keys"))
    same("guard rules", rule, names(guard, "rule_keys"))
    with open(root + "/src/policy/guard_rule.c", encoding="utf-8") as f:
        words = f.read()
    same("guard.template", props["guard"]["properties"]["template"]["enum"],
         c_list(words, "template_names"))
    same("guard.autonomy", props["guard"]["properties"]["autonomy"]["enum"],
         c_list(words, "autonomies"))
    same("enforcement", rule["enforcement"]["enum"], c_list(words, "enforcements"))
    same("decision", rule["decision"]["enum"], c_list(words, "decisions"))
    with open(root + "/src/base/effect.c", encoding="utf-8") as f:
        same("effect", rule["effect"]["enum"], re.findall(r'\] = \{\s*"(\w+)"', f.read()))
    same("groups", network["groups"]["propertyNames"]["enum"],
         os.listdir(root + "/data/domains") + ["registries"])
    same("net", props["net"]["enum"], c_list(settings, "net_names"))
    same("network.mode", network["mode"]["enum"], props["net"]["enum"])
    with open(root + "/src/policy/limits.c", encoding="utf-8") as f:
        same("limits", props["limits"]["properties"], names(f.read(), "rows"))
    same("mode", props["mode"]["enum"], c_list(settings, "mode_names"))
    same("root", props["root"]["enum"], c_list(settings, "root_names"))
    same("home", props["home"]["enum"], c_list(settings, "home_names"))
    same("profile", props["profile"]["enum"], c_list(settings, "profile_names"))
    same("files", schema["definitions"]["file_word"]["enum"], names(settings, "file_words"))
    for line in wrong:
        print(line)
    sys.exit(1 if wrong else 0)


main()
