"""Law: the project names no place that packages come from; every machine has its own."""

from tests.support.source import ROOT, project_files

HOSTS = [
    ".".join(parts)
    for parts in (
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("npmjs", "org"),
        ("npmjs", "com"),
        ("yarnpkg", "com"),
        ("crates", "io"),
        ("rubygems", "org"),
        ("maven", "org"),
        ("golang", "org"),
        ("deb", "debian", "org"),
        ("buf", "build"),
    )
]
"""Written apart, so that this page does not name them either."""


def test_no_file_names_a_package_registry() -> None:
    named = [f"{path.relative_to(ROOT)}: {host}" for path in project_files() for host in HOSTS if host.encode() in path.read_bytes()]
    assert named == []
