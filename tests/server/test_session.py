"""A whole editor session with the server, over its standard input and output."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

import pytest
from lsprotocol import types
from pygls.lsp.client import LanguageClient

CLEAN = """\
import tensorflow as tf

@tf.function
def step(x):
    return x
"""
PRINTS = CLEAN.replace("    return x", '    print("ä😋", x)\n    return x')

_Result = TypeVar("_Result")


class Editor:
    """A client with one file open, which waits for what the server says of it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.client = LanguageClient("editor", "v1")
        self.messages: list[str] = []
        self._said: dict[str, types.PublishDiagnosticsParams] = {}
        self._news = asyncio.Event()
        self._version = 0
        self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(partial(self._published))
        self.client.feature(types.WINDOW_SHOW_MESSAGE)(partial(self._shown))

    def _published(self, params: types.PublishDiagnosticsParams) -> None:
        self._said[params.uri] = params
        self._news.set()

    def _shown(self, params: types.ShowMessageParams) -> None:
        self.messages.append(params.message)

    def uri(self, name: str) -> str:
        return (self.root / name).as_uri()

    async def start(self, **options: object) -> types.InitializeResult:
        await self.client.start_io(sys.executable, "-m", "tfcheck", "server")
        folder = types.WorkspaceFolder(self.root.as_uri(), "root")
        result = await self.client.initialize_async(
            types.InitializeParams(
                types.ClientCapabilities(),
                root_uri=self.root.as_uri(),
                workspace_folders=[folder],
                initialization_options=options,
            )
        )
        self.client.initialized(types.InitializedParams())
        return result

    def open(self, name: str, text: str) -> None:
        self._version += 1
        item = types.TextDocumentItem(self.uri(name), "python", self._version, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def type(self, name: str, text: str) -> None:
        self._version += 1
        where = types.VersionedTextDocumentIdentifier(self._version, self.uri(name))
        whole = types.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(where, [whole]))

    async def codes(self, name: str, expected: list[str]) -> types.PublishDiagnosticsParams:
        """Wait until the server says that a file has these findings."""
        while True:
            said = self._said.get(self.uri(name))
            if said is not None and [d.code for d in said.diagnostics] == expected:
                return said
            self._news.clear()
            await asyncio.wait_for(self._news.wait(), timeout=30)

    async def ask(self, kind: str, name: str, line: int, character: int) -> object:
        where = types.TextDocumentIdentifier(self.uri(name))
        place = types.Position(line, character)
        if kind == "hover":
            return await self.client.text_document_hover_async(types.HoverParams(where, place))
        if kind == "lenses":
            return await self.client.text_document_code_lens_async(types.CodeLensParams(where))
        return await self.client.text_document_code_action_async(
            types.CodeActionParams(where, types.Range(place, place), types.CodeActionContext([]))
        )

    async def stop(self) -> int | None:
        await self.client.shutdown_async(None)
        self.client.exit(None)
        await self.client.stop()
        return self.client._server.returncode if self.client._server else None


def session(root: Path, talk: Callable[[Editor], Awaitable[_Result]], **options: object) -> _Result:
    async def run() -> _Result:
        editor = Editor(root)
        await editor.start(**options)
        result = await talk(editor)
        await editor.stop()
        return result

    return asyncio.run(run())


def applied(text: str, edits: list[types.TextEdit]) -> str:
    """The text after edits, whose characters are UTF-16 units."""
    lines = [line.encode("utf-16-le") for line in text.splitlines(keepends=True)]
    for edit in sorted(edits, key=lambda e: (-e.range.start.line, -e.range.start.character)):
        start, end = edit.range.start, edit.range.end
        before = lines[start.line][: 2 * start.character]
        after = lines[end.line][2 * end.character :]
        lines[start.line : end.line + 1] = [before + edit.new_text.encode("utf-16-le") + after]
    return b"".join(lines).decode("utf-16-le")


def test_a_hazard_is_typed_seen_fixed_and_gone(tmp_path: Path) -> None:
    async def talk(editor: Editor) -> None:
        editor.open("a.py", CLEAN)
        await editor.codes("a.py", [])
        editor.type("a.py", PRINTS)
        (finding,) = (await editor.codes("a.py", ["TFC301"])).diagnostics
        assert finding.severity is types.DiagnosticSeverity.Warning
        assert finding.range == types.Range(types.Position(4, 4), types.Position(4, 19))
        assert [r.message for r in finding.related_information or ()] == [
            "traced: step is decorated @tf.function"
        ]
        actions = await editor.ask("actions", "a.py", 4, 6)
        titles = [a.title for a in actions]
        assert titles[0].startswith("TFC301: ")
        assert titles[1:] == ["TFC301: ignore on this line", "tfcheck: apply all safe fixes"]
        (edits,) = actions[0].edit.changes.values()
        fixed = applied(PRINTS, edits)
        assert fixed == PRINTS.replace("print(", "tf.print(")
        (ignoring,) = actions[1].edit.changes.values()
        assert "# tfcheck: ignore[TFC301]" in applied(PRINTS, ignoring)
        editor.type("a.py", fixed)
        await editor.codes("a.py", [])

    session(tmp_path, talk)


def test_hover_and_lenses_say_why_a_function_is_traced(tmp_path: Path) -> None:
    async def talk(editor: Editor) -> tuple[object, object, object]:
        editor.open("a.py", PRINTS)
        await editor.codes("a.py", ["TFC301"])
        about = await editor.ask("hover", "a.py", 4, 6)
        head = await editor.ask("hover", "a.py", 3, 5)
        return about, head, await editor.ask("lenses", "a.py", 0, 0)

    about, head, lenses = session(tmp_path, talk)

    assert about.contents.value.startswith("**TFC301** `python-print` (warning)")
    assert head.contents.value == (
        "`step` is traced by TensorFlow\n\n- step is decorated @tf.function (a.py:3)"
    )
    assert [lens.command.title for lens in lenses] == ["traced: step is decorated @tf.function"]


def test_findings_take_other_files_and_unsaved_text_into_account(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("def show(x):\n    print(x)\n    return x\n")
    main = "import tensorflow as tf\nfrom helper import show\n\nfast = tf.function(show)\n"

    async def talk(editor: Editor) -> None:
        editor.open("helper.py", (tmp_path / "helper.py").read_text())
        await editor.codes("helper.py", [])
        editor.open("main.py", main)
        (tmp_path / "main.py").write_text("")
        editor.type("main.py", main + "\n")
        await editor.codes("helper.py", ["TFC301"])

    session(tmp_path, talk)


def test_half_typed_code_is_one_finding_and_settings_hold(tmp_path: Path) -> None:
    (tmp_path / "tfcheck.toml").write_text('ignore = ["TFC301"]\n')

    async def talk(editor: Editor) -> None:
        editor.open("a.py", PRINTS)
        await editor.codes("a.py", [])
        editor.type("a.py", PRINTS + "def broken(:\n")
        said = await editor.codes("a.py", ["TFC002"])
        assert said.diagnostics[0].range.start.line == 6

    session(tmp_path, talk)


def test_bad_settings_are_a_message_and_no_crash(tmp_path: Path) -> None:
    (tmp_path / "tfcheck.toml").write_text('ingore = ["TFC301"]\n')

    async def talk(editor: Editor) -> list[str]:
        editor.open("a.py", PRINTS)
        while not editor.messages:
            await asyncio.sleep(0.05)
        (tmp_path / "tfcheck.toml").write_text("")
        editor.type("a.py", PRINTS + "\n")
        await editor.codes("a.py", ["TFC301"])
        return editor.messages

    messages = session(tmp_path, talk)

    assert len(messages) == 1
    assert "ingore: unknown key, did you mean `ignore`?" in messages[0]


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    """A profile as `tfcheck profile --json` writes it, of `step` in a.py."""
    from tfcheck.cli.main import main

    script = tmp_path / "a.py"
    script.write_text(CLEAN + "\nfor i in range(3):\n    step(i)\n")
    place = tmp_path / "profile.json"
    assert main(["profile", "--backend", "onnx", "--json", str(place), str(script)]) == 0
    return place


def test_lenses_show_what_the_last_profile_measured(tmp_path: Path, profile: Path) -> None:
    traces = json.loads(profile.read_text())["functions"][0]["traces"]

    async def talk(editor: Editor) -> object:
        editor.open("a.py", "# moved\n" + (tmp_path / "a.py").read_text())
        return await editor.ask("lenses", "a.py", 0, 0)

    (lens,) = session(tmp_path, talk, profile="profile.json")

    assert lens.command.title.startswith(
        f"traced: step is decorated @tf.function · last profile: {traces} traces, "
    )


def test_garbage_from_a_client_ends_nothing(tmp_path: Path) -> None:
    async def talk(editor: Editor) -> None:
        editor.open("a.py", CLEAN)
        await editor.codes("a.py", [])
        where = types.TextDocumentIdentifier(editor.uri("never_opened.py"))
        lenses = await editor.client.text_document_code_lens_async(types.CodeLensParams(where))
        assert list(lenses) == []
        editor.type("a.py", PRINTS)
        await editor.codes("a.py", ["TFC301"])

    session(tmp_path, talk)
