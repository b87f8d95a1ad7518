"""The source distribution contains everything that `make verilog` and `make test` need."""

import shutil
import subprocess
import sys
import tarfile
import zipfile

FOLDERS = (
    ".ci",
    ".github",
    "constraints",
    "docs",
    "examples",
    "gen",
    "hdl",
    "lab",
    "net",
    "requirements",
    "sim",
    "src",
    "tests",
    "tools",
)
FILES = (
    ".dockerignore",
    ".gitignore",
    ".pre-commit-config.yaml",
    "CHANGELOG.md",
    "CITATION.cff",
    "CONTRIBUTING.md",
    "Dockerfile",
    "LICENSE",
    "MANIFEST.in",
    "Makefile",
    "README.md",
    "mkdocs.yml",
    "pyproject.toml",
    "setup.py",
)


def test_everything_is_in_the_sdist(root, tmp_path):
    tree = tmp_path / "tree"
    tree.mkdir()
    for name in FOLDERS:
        shutil.copytree(root / name, tree / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for name in FILES:
        shutil.copy(root / name, tree)
    wanted = {str(path.relative_to(tree)) for path in tree.rglob("*") if path.is_file() and not path.is_symlink()}
    # Files that must not be distributed.
    (tree / "gen" / "__pycache__").mkdir()
    (tree / "gen" / "__pycache__" / "config.cpython-311.pyc").touch()
    code = "from setuptools import build_meta; build_meta.build_sdist('.')"
    done = subprocess.run([sys.executable, "-c", code], cwd=tree, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with tarfile.open(next(tree.glob("dsnswitch-*.tar.gz"))) as archive:
        members = {member.name.partition("/")[2]: member for member in archive.getmembers() if member.isfile()}
        # Python 3.11.3 and earlier have no filters.
        archive.extractall(tmp_path, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    made = {name for name in members if name in ("PKG-INFO", "setup.cfg") or ".egg-info/" in name}
    assert set(members) - made == wanted
    assert members[".ci/setup"].mode & 0o111
    # Links of src/dsnswitch are not in it. A wheel that is built from it has the sources.
    (unpacked,) = tmp_path.glob("dsnswitch-*")
    code = "from setuptools import build_meta; print(build_meta.build_wheel('.'))"
    subprocess.run([sys.executable, "-c", code], cwd=unpacked, check=True, capture_output=True)
    assert "dsnswitch/gen/config.py" in zipfile.ZipFile(next(unpacked.glob("*.whl"))).namelist()


def test_the_list_is_the_repository(root):
    """The list is the top folder of the repository without files that tools make there."""
    made = {".git", ".venv", "build", ".pytest_cache", ".ruff_cache", ".hypothesis", "PKG-INFO", "setup.cfg", "__pycache__"}
    found = {path.name for path in root.iterdir() if not path.name.endswith((".egg-info", ".tar.gz"))}
    assert found - made == {*FOLDERS, *FILES}
