"""The language server: answers an editor over standard input and output."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from lsprotocol import types
from pygls import uris
from pygls.lsp.server import LanguageServer
from pygls.workspace import TextDocument

from tfcheck import __version__
from tfcheck.diagnostics import Span
from tfcheck.errors import InputError
from tfcheck.server.actions import FIX_ALL, Actions
from tfcheck.server.convert import Converter
from tfcheck.server.desk import Desk
from tfcheck.server.findings import Checked, Open
from tfcheck.server.hints import SavedProfile, hover, lenses


class Server:
    """Connects the protocol with the desk."""

    def __init__(self) -> None:
        self.protocol = LanguageServer("tfcheck", f"v{__version__}")
        self._desk = Desk(self._publish, self._warn)
        self._profile = SavedProfile(None)
        self._register()

    def _register(self) -> None:
        feature = self.protocol.feature  # it sets attributes, which bound methods do not take
        kinds = [types.CodeActionKind.QuickFix.value, FIX_ALL]
        feature(types.INITIALIZE)(partial(self._initialize))
        feature(types.TEXT_DOCUMENT_DID_OPEN)(partial(self._did_open))
        feature(types.TEXT_DOCUMENT_DID_CHANGE)(partial(self._did_change))
        feature(types.TEXT_DOCUMENT_DID_SAVE)(partial(self._did_save))
        feature(types.TEXT_DOCUMENT_DID_CLOSE)(partial(self._did_close))
        feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)(partial(self._folders_changed))
        feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(kinds))(
            partial(self._actions)
        )
        feature(types.TEXT_DOCUMENT_HOVER)(partial(self._hover))
        feature(types.TEXT_DOCUMENT_CODE_LENS)(partial(self._lenses))

    # Life of the workspace and of files

    def _initialize(self, params: types.InitializeParams) -> None:
        self._set_roots()
        options = params.initialization_options
        named = options.get("profile") if isinstance(options, dict) else None
        if isinstance(named, str):
            root = self.protocol.workspace.root_path
            self._profile = SavedProfile(Path(root or ".") / named)

    def _set_roots(self) -> None:
        workspace = self.protocol.workspace
        folders = [uris.to_fs_path(uri) for uri in workspace.folders]
        named = [*folders, *([] if folders else [workspace.root_path])]
        self._desk.set_roots([Path(folder) for folder in named if folder is not None])

    def _folders_changed(self, _params: types.DidChangeWorkspaceFoldersParams) -> None:
        self._set_roots()

    def _did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        self._look(params.text_document.uri, settled=True)

    def _did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        self._look(params.text_document.uri, settled=False)

    def _did_save(self, params: types.DidSaveTextDocumentParams) -> None:
        self._look(params.text_document.uri, settled=True)

    def _did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        self._desk.close(uri)
        self.protocol.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def _look(self, uri: str, *, settled: bool) -> None:
        document = self._document(uri)
        path = uris.to_fs_path(uri) or uri  # an unnamed buffer has no path
        self._desk.open(uri, Open(Path(path), document.source), settled=settled)

    # Answers

    async def _actions(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        uri = params.text_document.uri
        checked, file = await self._desk.known(uri), self._desk.file(uri)
        if checked is None or file is None:
            return []
        converter = self._converter(uri)
        span = Span(
            converter.position_of(params.range.start), converter.position_of(params.range.end)
        )
        only: Sequence[str] | None = params.context.only
        return list(Actions(file, checked, uri, converter).at(span, only))

    async def _hover(self, params: types.HoverParams) -> types.Hover | None:
        uri = params.text_document.uri
        checked = await self._desk.known(uri)
        if checked is None:
            return None
        converter = self._converter(uri)
        return hover(checked, converter.position_of(params.position), converter)

    async def _lenses(self, params: types.CodeLensParams) -> list[types.CodeLens]:
        uri = params.text_document.uri
        checked, file = await self._desk.known(uri), self._desk.file(uri)
        if checked is None or file is None:
            return []
        try:
            profile = self._profile.latest()
        except InputError as error:
            self._warn(str(error))
            profile = None
        return list(lenses(checked, file.path, profile, self._converter(uri)))

    # What the desk tells

    def _publish(self, uri: str, checked: Checked) -> None:
        converter = self._converter(uri)
        diagnostics = [converter.diagnostic(each) for each in checked.violations]
        version = self._document(uri).version
        self.protocol.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri, diagnostics, version)
        )

    def _warn(self, text: str) -> None:
        self.protocol.window_show_message(
            types.ShowMessageParams(types.MessageType.Warning, f"tfcheck: {text}")
        )

    def _document(self, uri: str) -> TextDocument:
        return self.protocol.workspace.get_text_document(uri)

    def _converter(self, uri: str) -> Converter:
        document = self._document(uri)
        return Converter(document.lines, document.position_codec)


def serve() -> None:
    """Answer the editor that started this process, until it says that it is done."""
    Server().protocol.start_io()
