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


GO_PACKAGES = b"google.golang.org/genproto/"
"""What Google's own protos, shipped beside ours, say of Go: names of packages, not places."""


def test_no_file_names_a_package_registry() -> None:
    texts = {path.relative_to(ROOT): path.read_bytes().replace(GO_PACKAGES, b"") for path in project_files()}
    named = [f"{path}: {host}" for path, text in texts.items() for host in HOSTS if host.encode() in text]
    assert named == []
