"""`tf.saved_model.load`: makes the objects and functions of a saved model again.

Follows https://www.tensorflow.org/api_docs/python/tf/saved_model/load.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from inspect import Parameter
from pathlib import Path
from typing import Any

from tfcheck_runtime.checkpoint import storage
from tfcheck_runtime.checkpoint.storage import Saved
from tfcheck_runtime.errors import DataLossError, NotFoundError
from tfcheck_runtime.function.concrete import ConcreteFunction
from tfcheck_runtime.function.tracing import Traced
from tfcheck_runtime.ops.lookup.tables import Table
from tfcheck_runtime.saved_model import folder as files, tables
from tfcheck_runtime.saved_model.asset import Asset
from tfcheck_runtime.saved_model.encoding import Decoder, Json, kind_named, structure_of
from tfcheck_runtime.saved_model.options import LoadOptions
from tfcheck_runtime.saved_model.rebuilding import GraphDecoder
from tfcheck_runtime.saved_model.restored import RestoredFunction
from tfcheck_runtime.saved_model.signatures import SignatureMap
from tfcheck_runtime.specs.dtypes import as_dtype
from tfcheck_runtime.values.containers import wrapped
from tfcheck_runtime.values.resource import Resource
from tfcheck_runtime.values.tensor import EagerTensor
from tfcheck_runtime.values.trackable import AutoTrackable
from tfcheck_runtime.values.variable import Variable
from tfcheck_runtime.values.variable_modes import VariableSynchronization, aggregation_of


class _UserObject(AutoTrackable):
    """An object of a loaded model: what it held, without its class."""


class _CallableObject(_UserObject):
    """An object of a class with a `__call__` that was saved."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return vars(self)["__call__"](*args, **kwargs)


_CallableObject.__name__ = _UserObject.__name__  # TensorFlow has one name for both


def load(
    export_dir: object, tags: str | Sequence[str] | None = None, options: LoadOptions | None = None
) -> Any:
    """Load what `save` wrote.

    Args:
        export_dir: the folder.
        tags: those the model was saved with; None for any.
        options: see `LoadOptions`.

    Raises:
        OSError: there is no model, or it is damaged or of another version.
        FileNotFoundError: the values of its variables are missing.
        ValueError: it was saved with other tags.
    """
    folder = Path(os.fspath(export_dir))  # type: ignore[call-overload]  # a str or a path
    manifest = files.read_manifest(folder)
    chosen = options or LoadOptions()
    _check_tags(tags, manifest.get("tags", []), folder)
    values = _values(folder, chosen)
    try:
        return _Loader(folder, manifest, values).root()
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise files.damaged(folder, f"{type(error).__name__}: {error}") from error


def _check_tags(tags: str | Sequence[str] | None, own: Sequence[str], folder: Path) -> None:
    wanted = own if tags is None else [tags] if isinstance(tags, str) else list(tags)
    if set(wanted) != set(own):
        raise ValueError(
            f"Got an incompatible argument to `tags`: {tags}. The SavedModel at {folder} has one"
            f" MetaGraph with tags {own}. You may omit the argument, pass 'None', or pass matching"
            " tags."
        )


def _values(folder: Path, options: LoadOptions) -> Saved:
    """The checkpoint of the variables."""
    if options.experimental_skip_checkpoint:
        return Saved([], {})
    prefix = str(folder / files.VARIABLES)
    if options.allow_partial_checkpoint and not storage.exists(prefix):
        return Saved([], {})
    return _stored(prefix)


def _stored(prefix: str) -> Saved:
    try:
        return storage.read(prefix)
    except NotFoundError as error:
        raise FileNotFoundError(str(error)) from error
    except DataLossError as error:
        raise OSError(str(error)) from error


@dataclass(frozen=True)
class _Unknown:
    """Stands for a default value that was not saved."""

    text: str

    def __repr__(self) -> str:
        return self.text


class _Loader:
    """Makes objects in the order in which they are needed, each once."""

    def __init__(self, folder: Path, manifest: Mapping[str, Any], values: Saved) -> None:
        self._folder = folder
        self._manifest = manifest
        self._objects: list[Json] = manifest["objects"]
        self._values = values
        stored = _stored(str(folder / files.CONSTANTS)).values
        constants = [stored[str(i)] for i in range(len(stored))]
        special: dict[str, Callable[[Json], Any]] = {
            "object": self._object,
            "asset": lambda name: self._asset(name).asset_path.array,
            "unknown": _Unknown,
        }
        self._decoder = Decoder(constants, special)
        self._graphs = GraphDecoder(manifest["graphs"], self._decoder, self._external)
        self._made: dict[int, Any] = {}
        self._assets: dict[str, Asset] = {}
        self._concretes: dict[str, ConcreteFunction] = {}

    def root(self) -> Any:
        """The object that was saved, with its signatures."""
        for number in range(len(self._objects)):
            self._object(number)
        for number in range(len(self._objects)):
            self._fill(number)
        root = self._made[0]
        signatures = self._manifest["signatures"]
        root.signatures = SignatureMap(
            {key: self._concrete(signatures[key], is_signature=True) for key in sorted(signatures)}
        )
        root.graph_debug_info = ""
        root.tensorflow_version = root.tensorflow_git_version = "tfcheck"
        return root

    def _object(self, number: int) -> Any:
        if number not in self._made:
            data = self._objects[number]
            self._made[number] = getattr(self, f"_make_{data['kind']}")(data, number)
        return self._made[number]

    def _fill(self, number: int) -> None:
        data, made = self._objects[number], self._made[number]
        children = {name: self._made[child] for name, child in data["children"].items()}
        if data["kind"] == "dict":
            made.update(children)
        elif data["kind"] == "list":
            size = max((int(name) + 1 for name in children), default=0)
            made.extend(children.get(str(i)) for i in range(size))
        elif data["kind"] == "object":
            for name, child in children.items():
                setattr(made, name, child)

    def _make_object(self, data: Json, number: int) -> Any:
        return _CallableObject() if "__call__" in data["children"] else _UserObject()

    def _make_list(self, data: Json, number: int) -> Any:
        return wrapped([])

    def _make_dict(self, data: Json, number: int) -> Any:
        return wrapped({})

    def _make_asset(self, data: Json, number: int) -> Asset:
        return self._asset(data["file"])

    def _asset(self, name: str) -> Asset:
        if name not in self._assets:
            self._assets[name] = Asset(self._folder / files.ASSETS / name)
        return self._assets[name]

    def _make_variable(self, data: Json, number: int) -> Variable:
        saved = self._values.values.get(data["key"])
        dtype, shape = as_dtype(data["dtype"]), self._decoder.value(data["shape"])
        handle = Resource(
            None if saved is None else saved.array,
            dtype=dtype,
            shape=shape,
            name=data["name"],
            trainable=data["trainable"],
        )
        made = Variable.around(handle)
        made.synchronization = VariableSynchronization[data["synchronization"]]
        made.aggregation = aggregation_of(data["aggregation"])
        return made

    def _make_table(self, data: Json, number: int) -> Table:
        return tables.restore(data, self._decoder)

    def _make_concrete_function(self, data: Json, number: int) -> ConcreteFunction:
        return self._concrete(data["name"])

    def _make_function(self, data: Json, number: int) -> RestoredFunction:
        given = data["input_signature"]
        return RestoredFunction(
            inspect.Signature([self._parameter(p) for p in data["parameters"]]),
            None if given is None else tuple(self._decoder.type(spec) for spec in given),
            [self._concrete(name) for name in data["concrete_functions"]],
        )

    def _parameter(self, data: Json) -> Parameter:
        name, kind, *default = data
        value = self._decoder.value(default[0]) if default else Parameter.empty
        return Parameter(name, kind_named(kind), default=value)

    def _concrete(self, name: str, *, is_signature: bool = False) -> ConcreteFunction:
        if name not in self._concretes:
            data = self._manifest["concrete_functions"][name]
            graph = self._graphs.function(data["graph"])
            graph.type = self._decoder.parameters(data["parameters"])
            outputs = structure_of(self._decoder.type(data["outputs"]))
            graph.structured_outputs = outputs
            made = ConcreteFunction(Traced(graph, graph.type, outputs), data["label"], trace=0)
            if is_signature:
                # A single tensor may come without its name; several could be mixed up.
                made.positional_limit = int(len(graph.inputs) == 1)
            self._concretes[name] = made
        return self._concretes[name]

    def _external(self, data: Json) -> Any:
        if "variable" in data:
            return self._object(data["variable"]).handle
        tensor = data["tensor"]
        if "asset" in tensor:
            return self._asset(tensor["asset"]).asset_path
        saved = self._decoder.constant(tensor["constant"])
        return EagerTensor(saved.array, saved.dtype)
