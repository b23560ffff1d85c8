"""Copies of the project's tree, and git repositories of them."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
_LEFT_OUT = ("__pycache__", "build", "dist", "site", "*.egg-info", "node_modules", "_version.py")
_FOR_GIT = {".gitignore", ".gitattributes", ".git_archival.txt", ".pre-commit-hooks.yaml"}


def copy_tree(target: Path) -> Path:
    """A copy of the tree, as a fresh clone has it, without git's own folder."""
    return Path(shutil.copytree(ROOT, target, ignore=_ignored))


def _ignored(folder: str, names: list[str]) -> set[str]:
    hidden = {name for name in names if name.startswith(".") and name not in _FOR_GIT}
    return hidden | shutil.ignore_patterns(*_LEFT_OUT)(folder, names)


def git(folder: Path, *arguments: str) -> str:
    """Run git, without what the user or the system has set for it; what it printed."""
    who = {
        f"GIT_{role}_{what}": value
        for role in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", "A"), ("EMAIL", "a@example.org"))
    }
    clean = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    ran = subprocess.run(
        ["git", *arguments],
        cwd=folder,
        env={**inherited, **clean, **who},
        check=True,
        capture_output=True,
        text=True,
    )
    return ran.stdout


def make_repository(folder: Path, *, tag: str | None = None) -> str:
    """Put all files of a folder under git in one commit, perhaps tagged; the commit."""
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "All")
    if tag is not None:
        git(folder, "tag", tag)
    return git(folder, "rev-parse", "HEAD").strip()
