"""Hints about files: where one is, what is there, where to write."""

import pytest


@pytest.fixture
def workspace(tmp_path, monkeypatch):
    """A session's workspace, and the folder where one is."""
    folder = tmp_path / "workspace"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def hint(make_run, workspace):
    """hint(code) of the error of code in a session with that workspace."""
    run = make_run(workspace=str(workspace))
    return lambda code: run(code)["error"]["hint"]


def test_a_missing_file_names_what_is_there(hint, workspace):
    assert hint("open('sales.csv')") == (
        "The workspace is empty; upload the file or create it first."
    )
    (workspace / "sales_2024.csv").write_text("a")
    expected = "The workspace has: sales_2024.csv. Did you mean 'sales_2024.csv'?"
    assert hint("open('sales_224.csv')") == expected
    assert hint("open(b'sales_224.csv')") == expected
    assert hint(f"open('{workspace}/sales_224.csv')") == expected
    assert expected in hint("open('data/sales_2024.csv')")


def test_away_from_the_workspace_both_folders_are_told(hint, workspace, tmp_path):
    (workspace / "sales.csv").write_text("a")
    text = hint(f"import os; os.chdir({str(tmp_path)!r}); open('sales.csv')")
    assert f"The working folder is {tmp_path}, the workspace is {workspace}." in text
    assert f"The workspace has: sales.csv. Did you mean '{workspace}/sales.csv'?" in text


def test_a_workspace_behind_a_link_goes_by_its_own_name(make_run, workspace, tmp_path):
    (tmp_path / "link").symlink_to(workspace)
    (workspace / "data").mkdir()
    run = make_run(workspace=str(tmp_path / "link"))
    code = "import os; os.chdir('data'); raise OSError(30, 'Read-only file system', '/x')"
    assert run(code)["error"]["hint"].endswith(f"the working folder is {tmp_path}/link/data.")


def test_a_folder_of_the_workspace_is_told_by_its_name(hint, workspace):
    (workspace / "data").mkdir()
    (workspace / "data" / "sales.csv").write_text("a")
    expected = "The folder data has: sales.csv. Did you mean 'data/sales.csv'?"
    assert hint("open('data/sale.csv')") == expected
    text = hint("import os; os.chdir('data'); open('sale.csv')")
    assert text == f"The folder {workspace}/data has: sales.csv. Did you mean 'sales.csv'?"


@pytest.mark.parametrize("folder", ["nope", "nope/deeper"])
def test_a_file_in_a_folder_that_is_not_there_needs_the_folder(hint, folder):
    text = hint(f"open('{folder}/x.txt', 'w')")
    assert f"There is no folder '{folder}'" in text
    assert f"os.makedirs('{folder}', exist_ok=True)" in text


def test_a_home_that_python_does_not_know_is_explained(hint):
    assert hint("open('~/x.csv')").startswith("Python does not expand `~`: use a relative path.")


def test_a_file_that_cannot_be_moved_needs_the_other_folder(hint, workspace):
    (workspace / "a.txt").write_text("a")
    assert "There is no folder 'nope'" in hint("import os; os.rename('a.txt', 'nope/a.txt')")


@pytest.mark.parametrize("code", ["open('/nowhere/here.csv')", "open('/nowhere/x', 'w')"])
def test_other_files_than_the_workspaces_are_told_to_be_elsewhere(hint, workspace, code):
    (workspace / "here.csv").write_text("a")
    text = hint(code)
    assert f"Only the workspace, {workspace}, is for this session's files" in text
    assert "use a relative path" in text and "The workspace has: here.csv." in text


@pytest.mark.parametrize(
    "code",
    [
        "raise OSError(errno.EROFS, 'Read-only file system', '/x')",
        "raise OSError(\"Cannot save file into a non-existent directory: '/mnt/data'\")",
    ],
)
def test_who_writes_elsewhere_is_told_where_to_write(hint, workspace, code):
    text = hint("import errno\n" + code)
    assert text == f"Write to a relative path; the working folder is {workspace}."


def test_pandas_is_told_to_write_into_a_folder_that_is_there(hint, workspace):
    pytest.importorskip("pandas")
    frame = "import pandas as pd\npd.DataFrame({'a': [1]})"
    assert hint(f"{frame}.to_csv('/nowhere/x.csv')").startswith("Write to a relative path")
    assert "os.makedirs('out', exist_ok=True)" in hint(f"{frame}.to_csv('out/x.csv')")


def test_what_may_not_be_read_is_told_by_where_the_files_are(hint):
    text = hint("raise PermissionError(13, 'Permission denied', '/root/x')")
    assert "is for this session's files: use a relative path" in text
    assert hint("raise PermissionError(13, 'Permission denied', 'x')") is None


@pytest.mark.parametrize(
    "code", ["raise FileNotFoundError('no such thing')", "raise FileNotFoundError(2, 'none')"]
)
def test_an_error_that_names_no_file_gets_no_hint_about_one(hint, code):
    assert hint(code) is None


def test_numpys_own_words_name_a_file(hint, workspace):
    pytest.importorskip("numpy")
    assert "The workspace is empty" in hint("import numpy as np\nnp.loadtxt('no.csv')")


@pytest.mark.parametrize("module", ["multiprocessing.synchronize", "concurrent.futures.process"])
@pytest.mark.parametrize("error", ["FileNotFoundError(2, 'none')", "PermissionError(13, 'no')"])
def test_a_pool_of_processes_is_answered_with_threads(hint, module, error):
    text = hint(f"exec(\"raise {error}\", {{'__name__': {module!r}}})")
    assert "ThreadPoolExecutor" in text and "workspace" not in text


def test_a_file_that_a_pools_worker_misses_is_still_a_file(hint):
    text = hint("from multiprocessing.pool import ThreadPool\nThreadPool(1).map(open, ['x.csv'])")
    assert text.startswith("The workspace is empty")
