"""Law: a reader finds the place from the question, and reads it in one sitting. The limits only ever come down."""

import ast
import statistics
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from tests.support.source import ROOT, project_files

MODULE_MEDIAN, MODULE_NINE_TENTHS, MODULE_MOST = 120, 330, 400
FUNCTION_MEDIAN, FUNCTION_MOST = 12, 60

DATA_TABLES: set[str] = set()
"""Modules that are nothing but tables of data (path from the root): their length says nothing."""


def modules() -> dict[str, str]:
    # A migration is a table of tables, and is never changed once it has landed.
    paths = ((path.relative_to(ROOT).as_posix(), path) for path in project_files("*.py", ":!*/migrations/versions/*"))
    sources = {name: path.read_text() for name, path in paths if name not in DATA_TABLES}
    return {name: source for name, source in sources.items() if source.strip() and Path(name).name != "__init__.py"}


def functions(source: str) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            yield node.name, node.end_lineno - node.lineno + 1


def test_no_module_is_over_400_lines() -> None:
    lengths = {name: len(source.splitlines()) for name, source in modules().items()}
    assert {name: length for name, length in lengths.items() if length > MODULE_MOST} == {}


def test_nine_modules_in_ten_have_at_most_330_lines_and_half_at_most_120() -> None:
    lengths = sorted(len(source.splitlines()) for source in modules().values())
    assert lengths[len(lengths) * 9 // 10] <= MODULE_NINE_TENTHS
    assert statistics.median(lengths) <= MODULE_MEDIAN


def test_no_function_is_over_60_lines() -> None:
    lengths = {f"{module}:{name}": length for module, source in modules().items() for name, length in functions(source)}
    assert {name: length for name, length in lengths.items() if length > FUNCTION_MOST} == {}


def test_half_of_the_functions_have_at_most_12_lines() -> None:
    lengths = [length for _, length in chain.from_iterable(functions(source) for source in modules().values())]
    assert statistics.median(lengths) <= FUNCTION_MEDIAN


def test_a_data_table_that_is_set_apart_exists() -> None:
    assert {name for name in DATA_TABLES if not (ROOT / name).is_file()} == set()
