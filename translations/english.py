#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fills the plural forms of ringside_en.ts that update_translations has added. The window's texts: "%n run(s)" becomes
"%n run" and "%n runs"; without "(s)" both forms are the same. Core's texts are plurals that have the singular as comment.
Usage: english.py ringside_en.ts"""
import sys
import xml.etree.ElementTree as tree


def complete(message, context):
    source = message.findtext("source")
    translation = message.find("translation")
    if translation.get("type") != "unfinished":
        return
    forms = translation.findall("numerusform")
    forms[0].text = message.findtext("comment") if context == "Words" else source.replace("(s)", "")
    forms[1].text = source.replace("(s)", "s")
    del translation.attrib["type"]


def main(path):
    document = tree.parse(path)
    for context in document.iter("context"):
        for message in context.iter("message"):
            complete(message, context.findtext("name"))
    with open(path, "wb") as file:
        file.write(b'<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE TS>\n')
        document.write(file, encoding="utf-8")
        file.write(b"\n")


if __name__ == "__main__":
    main(sys.argv[1])
