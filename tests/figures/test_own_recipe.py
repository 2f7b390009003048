"""docs/own-head.md: its files are read, and its recipes give the weights that the model itself has."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from figures.matrix import Matrix
from figures.own import read
from figures.own_view import OwnHead

DOC = (Path(__file__).parents[2] / "docs" / "own-head.md").read_text()
BLOCKS = dict(re.findall(r"^## Save a head of ([^\n]+)\n.*?```python\n(.*?)```", DOC, re.DOTALL | re.MULTILINE))


def fence(language: str) -> bytes:
    return re.search(rf"```{language}\n(.*?)```", DOC, re.DOTALL)[1].encode()


def test_files_of_the_document_hold_one_head():
    one, other = read("a.json", fence("json")), read("a.csv", fence("csv"))
    for name in ("q", "k", "v", "allowed"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert one.tokens == other.tokens == ("the", "cat")


def weights(file: Path, **knobs) -> np.ndarray:
    figure = Matrix(**knobs)
    figure.own = OwnHead.load(file.name, file.read_bytes())
    return figure.compute().weights


class Tokenizer:
    """Stands for a tokenizer: the same tokens for every text, the last two of them padding."""

    def __call__(self, _text: str, return_tensors: str):
        torch = pytest.importorskip("torch")
        return {"input_ids": torch.tensor([[5, 3, 8, 5, 1, 9, 0]]), "attention_mask": torch.tensor([[1] * 5 + [0] * 2])}

    def convert_ids_to_tokens(self, ids) -> list[str]:
        return [f"Ġ{int(n)}" for n in ids]


def run(recipe: str, monkeypatch, folder: Path, **models) -> dict:
    transformers = pytest.importorskip("transformers")
    monkeypatch.chdir(folder)
    monkeypatch.setattr(transformers, "AutoTokenizer", SimpleNamespace(from_pretrained=lambda _name: Tokenizer()))
    for name, model in models.items():
        monkeypatch.setattr(transformers, name, SimpleNamespace(from_pretrained=lambda _name, model=model: model))
    names: dict = {}
    exec(compile(BLOCKS[recipe], recipe, "exec"), names)
    return names


pytestmark = pytest.mark.filterwarnings("ignore")  # of other libraries


@pytest.mark.torch
def test_gpt2(monkeypatch, tmp_path):
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    torch.manual_seed(1)
    config = transformers.GPT2Config(
        vocab_size=11, n_positions=16, n_embd=24, n_layer=2, n_head=3, initializer_range=0.8
    )
    model = transformers.GPT2Model._from_config(config, attn_implementation="eager").eval()
    names = run("GPT-2", monkeypatch, tmp_path, GPT2Model=model)
    with torch.no_grad():
        theirs = model(names["ids"], output_attentions=True).attentions[names["layer"]][0, names["head"]].numpy()
    ours = weights(tmp_path / "gpt2.npz", causal=True)
    assert theirs.std() > 0.1, "a flat head would hide mistakes"
    np.testing.assert_allclose(ours, theirs, atol=1e-5)
    assert read("a.npz", (tmp_path / "gpt2.npz").read_bytes()).tokens[0] == "Ġ5"


@pytest.mark.torch
def test_bert(monkeypatch, tmp_path):
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    torch.manual_seed(2)
    config = transformers.BertConfig(vocab_size=11, hidden_size=24, num_hidden_layers=2, num_attention_heads=3,
                                     intermediate_size=32, max_position_embeddings=16,
                                     initializer_range=0.8)  # fmt: skip
    model = transformers.BertModel._from_config(config, attn_implementation="eager").eval()
    names = run("BERT", monkeypatch, tmp_path, BertModel=model)
    with torch.no_grad():
        made = model(**names["given"], output_attentions=True)
    theirs = made.attentions[names["layer"]][0, names["head"]].numpy()
    assert theirs.std() > 0.1
    np.testing.assert_allclose(weights(tmp_path / "bert.npz"), theirs, atol=1e-5)


@pytest.mark.torch
def test_multihead_attention(monkeypatch, tmp_path):
    torch = pytest.importorskip("torch")
    torch.manual_seed(3)
    names = run("`nn.MultiheadAttention`", monkeypatch, tmp_path)
    with torch.no_grad():
        x, layer = names["x"], names["layer"]
        _, theirs = layer(x, x, x, need_weights=True, average_attn_weights=False)
    np.testing.assert_allclose(weights(tmp_path / "mha.npz"), theirs[0, names["head"]].numpy(), atol=1e-5)
