#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fills the plural forms of ringside_en.ts that update_translations has added: "%n run(s)" becomes "%n run" and "%n runs".
Texts without "(s)" are the same in both forms. Usage: english.py ringside_en.ts"""
import sys
import xml.etree.ElementTree as tree


def complete(message):
    source = message.findtext("source")
    translation = message.find("translation")
    forms = translation.findall("numerusform")
    if all(form.text for form in forms):
        return
    forms[0].text = source.replace("(s)", "")
    forms[1].text = source.replace("(s)", "s")
    translation.attrib.pop("type", None)


def main(path):
    document = tree.parse(path)
    for message in document.iter("message"):
        complete(message)
    with open(path, "wb") as file:
        file.write(b'<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE TS>\n')
        document.write(file, encoding="utf-8")
        file.write(b"\n")


if __name__ == "__main__":
    main(sys.argv[1])
