"""`tf.saved_model.save`: writes objects, their state and their functions into a folder.

Follows https://www.tensorflow.org/api_docs/python/tf/saved_model/save.
"""

from __future__ import annotations

import importlib
import inspect
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tfcheck_runtime import dispatch
from tfcheck_runtime.checkpoint import storage
from tfcheck_runtime.checkpoint.checkpoint import contents_of
from tfcheck_runtime.checkpoint.storage import Saved
from tfcheck_runtime.checkpoint.tracking import nodes_of
from tfcheck_runtime.checkpoint.values import VALUE
from tfcheck_runtime.function.concrete import ConcreteFunction, output_type
from tfcheck_runtime.function.function import Function
from tfcheck_runtime.ops.lookup.tables import Table
from tfcheck_runtime.saved_model import folder as files, tables
from tfcheck_runtime.saved_model.asset import Asset
from tfcheck_runtime.saved_model.encoding import Encoder, Json, UnsavableError
from tfcheck_runtime.saved_model.graphs import GraphEncoder
from tfcheck_runtime.saved_model.objects import ObjectGraph
from tfcheck_runtime.saved_model.options import SaveOptions
from tfcheck_runtime.saved_model.signatures import signatures_of
from tfcheck_runtime.saved_model.tags import SERVING
from tfcheck_runtime.specs import nest
from tfcheck_runtime.specs.tensor_spec import TensorSpec
from tfcheck_runtime.values.resource import Resource
from tfcheck_runtime.values.tensor import EagerTensor, Tensor
from tfcheck_runtime.values.trackable import Trackable
from tfcheck_runtime.values.variable import Variable


def save(
    obj: Any, export_dir: object, signatures: Any = None, options: SaveOptions | None = None
) -> None:
    """Save an object with all that it holds: variables, functions, tables, assets, containers.

    Args:
        obj: a module or other trackable object.
        export_dir: the folder; a model that is there already is replaced as a whole.
        signatures: a function, or functions by name, that take and return named tensors.
        options: see `SaveOptions`.

    Raises:
        ValueError: `obj` is not trackable, or a signature is no function of tensors.
        AssertionError: a signature uses a variable that `obj` does not hold, or a function is
            being traced.
        KeyError: another function does.
        NotImplementedError: a function uses something that has no saved form.
    """
    if dispatch.current_graph() is not None:
        raise AssertionError(
            "`tf.saved_model.save` is not supported inside a traced @tf.function. Move the call to"
            " the outer eagerly-executed context."
        )
    if not isinstance(obj, Trackable):
        raise ValueError(
            "Expected an object of type `Trackable`, such as `tf.Module` or a subclass of the"
            f" `Trackable` class, for export. Got {obj} with type {type(obj)}."
        )
    objects = ObjectGraph(obj)
    _check_names(obj, objects)
    chosen = signatures_of(signatures, objects.functions)
    writer = _Writer(objects)
    manifest = writer.manifest(chosen, (SERVING, *((options and options.extra_tags) or ())))
    with files.replaced(Path(os.fspath(export_dir))) as folder:  # type: ignore[call-overload]  # a path
        (folder / files.ASSETS).mkdir()
        for name, source in writer.assets.items():
            shutil.copyfile(source, folder / files.ASSETS / name)
        storage.write(str(folder / files.VARIABLES), contents_of(obj))
        constants = {str(i): value for i, value in enumerate(writer.encoder.constants)}
        storage.write(str(folder / files.CONSTANTS), Saved([], constants))
        _write_models(folder, writer.concretes, manifest["concrete_functions"])
        files.write_manifest(folder, manifest)


def _check_names(obj: Any, objects: ObjectGraph) -> None:
    if "signatures" in objects.children[0]:
        raise ValueError(
            f"Exporting an object {obj} which has an attribute named 'signatures'. This is a"
            " reserved attribute used to store SavedModel signatures in objects which come from"
            " `tf.saved_model.load`. Delete this attribute (e.g. `del obj.signatures`) before"
            " saving if this shadowing is acceptable."
        )


def _write_models(
    folder: Path, concretes: Mapping[str, ConcreteFunction], described: Mapping[str, Json]
) -> None:
    """Write the ONNX models of all concrete functions that have one, and note which."""
    (folder / files.ONNX).mkdir()
    # Loaded here for the reason that `function.running` gives.
    error: type[Exception] = importlib.import_module("tfcheck_runtime.lower.model").ExportError
    for name, concrete in concretes.items():
        try:
            model = concrete.to_onnx()
        except error as reason:
            described[name]["without_onnx"] = str(reason)
            continue
        (folder / files.ONNX / f"{name}.onnx").write_bytes(model.SerializeToString())


class _Writer:
    """Describes objects and functions; collects constants, assets and concrete functions."""

    def __init__(self, objects: ObjectGraph) -> None:
        self.objects = objects
        self.concretes: dict[str, ConcreteFunction] = {}
        self.assets: dict[str, str] = {}
        """Files by the name that they get."""
        self._assets: dict[int, Asset] = {
            id(value.asset_path.array): value
            for value in objects.values if isinstance(value, Asset)
        }  # fmt: skip
        self._resources = {
            id(value.handle): i for i, value in enumerate(objects.values)
            if isinstance(value, Variable)
        }  # fmt: skip
        self._keys = {id(n.value): n.key(VALUE) for n in nodes_of(objects.values[0])}
        """Keys in the checkpoint."""
        self.encoder = Encoder(self._special)
        self._graphs = GraphEncoder(self.encoder, self._external)
        self._current = ""
        """The function that is being described, for errors."""

    def manifest(
        self, signatures: Mapping[str, ConcreteFunction], tags: tuple[str, ...]
    ) -> dict[str, Any]:
        """What the manifest says."""
        by_key = {key: self._entered(function) for key, function in signatures.items()}
        for name in by_key.values():
            self._check_tracked(name)
        objects = [self._object(i, value) for i, value in enumerate(self.objects.values)]
        concretes = {
            name: self._concrete(name, c, is_signature=name in by_key.values())
            for name, c in self.concretes.items()
        }
        return {
            "tags": list(tags),
            "objects": objects,
            "signatures": by_key,
            "concrete_functions": concretes,
            "graphs": self._graphs.functions,
        }

    def _entered(self, concrete: ConcreteFunction) -> str:
        name = concrete.name.decode()
        self.concretes[name] = concrete
        return name

    def _check_tracked(self, name: str) -> None:
        for external in self.concretes[name].captured_inputs:
            if isinstance(external, Resource) and id(external) not in self._resources:
                raise AssertionError(
                    "Tried to export a function which references an 'untracked' resource."
                    " TensorFlow objects (e.g. tf.Variable) captured by functions must be 'tracked'"
                    " by assigning them to an attribute of a tracked object or assigned to an"
                    " attribute of the main object directly. See the information below:\n"
                    f"\tFunction name = {name}\n\tCaptured Tensor = {external}"
                )

    def _object(self, number: int, value: Any) -> Json:
        children = self.objects.children[number]
        return {**self._described(value), "children": children}

    def _described(self, value: Any) -> dict[str, Json]:
        if isinstance(value, Variable):
            return self._variable(value)
        if isinstance(value, Function):
            return self._function(value)
        if isinstance(value, ConcreteFunction):
            return {"kind": "concrete_function", "name": self._entered(value)}
        if isinstance(value, Asset):
            return {"kind": "asset", "file": self._asset(value)}
        if isinstance(value, Table):
            return tables.describe(value, self.encoder)
        if isinstance(value, list | tuple):
            return {"kind": "list"}
        return {"kind": "dict" if isinstance(value, Mapping) else "object"}

    def _variable(self, variable: Variable) -> dict[str, Json]:
        return {
            "kind": "variable",
            "key": self._keys[id(variable)],
            "name": variable.name.removesuffix(":0"),
            "dtype": variable.dtype.name,
            "shape": self.encoder.value(variable.static_shape),
            "trainable": variable.trainable,
            "synchronization": variable.synchronization.name,
            "aggregation": variable.aggregation.value or None,
        }

    def _function(self, function: Function) -> dict[str, Json]:
        given = function.input_signature
        traces = [self._entered(c) for c in self.objects.traces(function)]
        parameters = function.signature.parameters.values()
        return {
            "kind": "function",
            "concrete_functions": traces,
            "parameters": [self._parameter(p) for p in parameters],
            "input_signature": None if given is None else [self.encoder.type(s) for s in given],
        }

    def _parameter(self, parameter: inspect.Parameter) -> Json:
        described = [parameter.name, parameter.kind.name]
        if parameter.default is inspect.Parameter.empty:
            return described
        try:
            return [*described, self.encoder.value(parameter.default)]
        except UnsavableError:
            # No saved concrete function was traced for it: any value that fits none will do.
            return [*described, {"unknown": repr(parameter.default)}]

    def _asset(self, asset: Asset) -> str:
        source = asset.file
        stem, end = os.path.splitext(os.path.basename(source))
        name, count = stem + end, 0
        while self.assets.get(name, source) != source:
            count += 1
            name = f"{stem}_{count}{end}"
        self.assets[name] = source
        return name

    def _concrete(self, name: str, concrete: ConcreteFunction, *, is_signature: bool) -> Json:
        self._current = name
        try:
            return {
                "label": concrete.graph.name,
                "parameters": self.encoder.parameters(concrete.type),
                "outputs": self._outputs(concrete, is_signature=is_signature),
                "graph": self._graphs.function(concrete.graph),
            }
        except UnsavableError as error:
            raise NotImplementedError(
                f"saved_model.save: {name} cannot be saved by the embedded runtime: {error} has no"
                " saved form"
            ) from None

    def _outputs(self, concrete: ConcreteFunction, *, is_signature: bool) -> Json:
        """The type of what is returned, with the names that TensorFlow gives to the tensors."""
        outputs = concrete.structured_outputs
        if is_signature:
            return {"dict": [[key, self._spec(part, key)] for key, part in outputs.items()]}
        return self._spec(outputs, "unknown")

    def _spec(self, outputs: Any, name: str) -> Json:
        named = nest.map_structure(
            lambda t: TensorSpec.from_tensor(t, name) if isinstance(t, Tensor | TensorSpec) else t,
            outputs,
        )
        return self.encoder.type(output_type(named))

    def _special(self, value: Any) -> Json | None:
        if isinstance(value, Table):
            number = self.objects.number(value)
            return {"object": number} if number is not None else self._untracked(value)
        asset = self._assets.get(id(value))
        return None if asset is None else {"asset": self._asset(asset)}

    def _external(self, external: Any) -> Json:
        if isinstance(external, Resource) and id(external) in self._resources:
            return {"variable": self._resources[id(external)]}
        if isinstance(external, EagerTensor):
            known = self._special(external.array)
            return {"tensor": known or self.encoder.constant(external.array, external.dtype)}
        return self._untracked(external)

    def _untracked(self, value: object) -> Json:
        raise KeyError(
            f"Failed to add concrete function {self._current} to object-based SavedModel as it"
            f" captures {value!r} which is unsupported or not reachable from root. One reason could"
            " be that a stateful object or a variable that the function depends on is not assigned"
            " to an attribute of the serialized trackable object"
        )
