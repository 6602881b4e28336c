from collections.abc import Iterator

import pytest

from tests.security.place import Place


@pytest.fixture(scope="package")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """One installation for all tests here: nothing that they try may change anything."""
    with Place(tmp_path_factory.mktemp("place")) as place:
        yield place
