"""Files are written in one step, all or none. Devices, FIFOs and links keep their type. Standard output fails loudly."""

import os
import stat
import subprocess
import sys
import threading

import pytest

from dsnswitch.gen.writing import make_folder, write_files, write_text
from dsnswitch.net.messages import UsageError


def tree(folder):
    """Every path under ``folder`` with its contents: text of a file, target of a link, None for a folder."""
    found = {}
    for path in sorted(folder.rglob("*")):
        kind = path.lstat().st_mode
        found[str(path.relative_to(folder))] = (
            os.readlink(path) if stat.S_ISLNK(kind) else path.read_text() if stat.S_ISREG(kind) else None
        )
    return found


def test_new_file_has_the_mode_of_any_new_file(tmp_path):
    write_text(tmp_path / "new", "text\n")
    (tmp_path / "other").touch()
    assert tree(tmp_path) == {"new": "text\n", "other": ""}
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "other").stat().st_mode


@pytest.mark.parametrize("mode", [0o600, 0o755, 0o4711])
def test_existing_file_keeps_its_mode_and_owner(tmp_path, mode):
    path = tmp_path / "old"
    path.write_text("old")
    if os.geteuid() == 0:
        os.chown(path, 1234, 4321)
    path.chmod(mode)
    before = path.stat()
    write_text(path, "new")
    after = path.stat()
    assert path.read_text() == "new"
    assert stat.S_IMODE(after.st_mode) == mode
    assert (after.st_uid, after.st_gid) == (before.st_uid, before.st_gid)


def test_links_are_followed(tmp_path):
    """A link to a link to a file in another folder; a link to a file that does not exist yet; a cycle of links."""
    (tmp_path / "far").mkdir()
    (tmp_path / "far" / "file").write_text("old")
    (tmp_path / "far" / "link").symlink_to("file")
    (tmp_path / "link").symlink_to("far/link")
    (tmp_path / "dangling").symlink_to("far/made")
    (tmp_path / "circle").symlink_to("circle")
    before = tree(tmp_path)
    write_text(tmp_path / "link", "new")
    write_text(tmp_path / "dangling", "made")
    assert tree(tmp_path) == before | {"far/file": "new", "far/made": "made"}
    with pytest.raises(UsageError, match="circle cannot be written: Too many levels of symbolic links"):
        write_text(tmp_path / "circle", "text")


def test_fifo_is_written_through(tmp_path):
    path = tmp_path / "fifo"
    os.mkfifo(path)
    seen = []
    reader = threading.Thread(target=lambda: seen.append(path.read_text()))
    reader.start()
    write_text(path, "text")
    reader.join()
    assert seen == ["text"]
    assert stat.S_ISFIFO(path.stat().st_mode)


@pytest.mark.parametrize(("minor", "fails"), [(3, False), (7, True)])
def test_device_is_written_through(tmp_path, minor, fails):
    """Copies of /dev/null and /dev/full in a separate folder."""
    path = tmp_path / "device"
    try:
        os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, minor))
        open(path, "wb").close()
    except PermissionError:
        pytest.skip("only root makes devices")
    before = path.stat()
    if fails:
        with pytest.raises(UsageError, match="No space left on device"):
            write_text(path, "text")
    else:
        write_text(path, "text")
    assert (path.stat().st_mode, path.stat().st_rdev) == (before.st_mode, before.st_rdev)
    assert os.listdir(tmp_path) == ["device"]


def test_folder_is_refused(tmp_path):
    with pytest.raises(UsageError, match=r"Output file .* cannot be written: Is a directory"):
        write_text(tmp_path, "text")
    assert tree(tmp_path) == {}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_read_only_file_is_refused(tmp_path):
    path = tmp_path / "old"
    path.write_text("old")
    path.chmod(0o444)
    with pytest.raises(UsageError, match="Permission denied"):
        write_text(path, "new")
    assert path.read_text() == "old"


@pytest.mark.parametrize("names", [("a", "b", "c"), ("b", "a", "c"), ("c", "b", "a")])
def test_all_files_or_none(tmp_path, names):
    """A folder has the name of one of the files, which may be any of them."""
    (tmp_path / "b").mkdir()
    (tmp_path / "a").write_text("old")
    before = tree(tmp_path)
    with pytest.raises(UsageError, match=r"Output file .*/b cannot be written: Is a directory"):
        write_files(tmp_path, dict.fromkeys(names, "new"))
    assert tree(tmp_path) == before


@pytest.mark.parametrize("good", [0, 1, 2])
def test_files_are_taken_back(tmp_path, monkeypatch, good):
    """The failing step cannot be foreseen by a check. Old files are restored, new files are removed."""
    out = tmp_path / "out"
    out.mkdir()
    (out / "a").write_text("old")
    (out / "c").write_text("old")
    before = tree(tmp_path)
    steps, replace = [], os.replace

    def full(*paths):
        steps.append(paths)
        if len(steps) > good:
            raise OSError(28, "No space left on device")
        replace(*paths)

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(UsageError, match="No space left on device"):
        write_files(out, dict.fromkeys("abc", "new"))
    assert tree(tmp_path) == before
    with pytest.raises(UsageError):
        write_files(tmp_path / "made" / "for" / "it", dict.fromkeys("abc", "new"))
    assert tree(tmp_path) == before


def test_folder_of_files_holds_a_device(tmp_path):
    """Devices are written last, so that no file changes if a device fails."""
    try:
        os.mknod(tmp_path / "a", 0o666 | stat.S_IFCHR, os.makedev(1, 7))
        open(tmp_path / "a", "wb").close()
    except PermissionError:
        pytest.skip("only root makes devices")
    (tmp_path / "b").write_text("old")
    with pytest.raises(UsageError, match="No space left on device"):
        write_files(tmp_path, {"a": "new", "b": "new"})
    assert tree(tmp_path) == {"a": None, "b": "old"}


@pytest.mark.parametrize("name", ["a\0b", "a\ud800"])
def test_names_that_no_file_can_have(tmp_path, name):
    with pytest.raises(UsageError, match="cannot be written"):
        write_text(f"{tmp_path}/{name}", "\ud800")
    assert tree(tmp_path) == {}


def test_text_that_no_file_can_have(tmp_path):
    with pytest.raises(UsageError, match="cannot be written: 'utf-8' codec"):
        write_files(tmp_path, {"a": "whole", "b": "\ud800"})
    assert tree(tmp_path) == {}


def test_folder_is_made_or_refused(tmp_path):
    make_folder(tmp_path / "a" / "b")
    assert tree(tmp_path) == {"a": None, "a/b": None}
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match=r"Output folder .*/file/c cannot be written: Not a directory"):
        make_folder(tmp_path / "file" / "c")


COMMAND = f"{sys.executable} -m dsnswitch.gen topology -p 0"


GRAPH = "# source target kind level\n"


@pytest.mark.parametrize(
    ("words", "out", "error"),
    [
        ("", GRAPH, ""),
        ("--out /dev/fd/1", GRAPH, ""),
        ("--out link", GRAPH, ""),
        ("--out /dev/fd/2", "", GRAPH),
        (">&-", "", "Standard output cannot be written: it is closed"),
        (">/dev/full", "", "Standard output cannot be written: No space left on device"),
        ("--out /dev/fd/9", "", "Output file /dev/fd/9 cannot be written: Bad file descriptor"),
        ("--format bad 2>&-", "", None),
        ("--format bad 2>/dev/full", "", None),
    ],
)
def test_standard_output(tmp_path, words, out, error):
    """The command runs in a shell. The old content of the file is kept, because the open descriptor is used and not reopened.

    The test uses a link of its own instead of /dev/stdout, because root could destroy that.
    """
    (tmp_path / "link").symlink_to("/proc/self/fd/1")
    script = f"(echo before; {COMMAND} {words}; echo $? >status) >out 2>err"
    subprocess.run(["sh", "-c", script], cwd=tmp_path, check=True)
    text, err = ((tmp_path / name).read_text() for name in ("out", "err"))
    status = (tmp_path / "status").read_text()
    assert text.partition("before\n")[2].startswith(out)
    assert bool(out) == (len(text) > len("before\n"))
    if error in ("", GRAPH):
        assert status == "0\n"
        assert err.startswith(error)
    else:
        assert (status, err) == ("2\n", f"dsnswitch: error: {error}\n" if error else "")
    assert os.readlink(tmp_path / "link") == "/proc/self/fd/1"
