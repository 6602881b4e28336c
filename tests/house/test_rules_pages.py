"""Law: a rules page names only tests that exist."""

import ast
import re

from tests.support.source import ROOT, project_files


def test_every_test_that_a_rules_page_names_is_there() -> None:
    there = {
        node.name
        for path in project_files("tests/*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    pages = {path.relative_to(ROOT).as_posix(): path.read_text() for path in project_files("docs/rules/*.md")}
    named = {(page, name) for page, text in pages.items() for name in re.findall(r"`(test_\w+)`", text)}
    assert {(page, name) for page, name in named if name not in there} == set()
