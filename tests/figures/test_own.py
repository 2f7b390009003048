# ruff: noqa: E501  (a table of whole sentences)
"""A head of the reader's own: every format, every refusal, and numbers against `core` and formulas written out here."""

from __future__ import annotations

import base64
import io
import json
import math
import pickle
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from figures import own_files
from figures.live import Live, as_csv, as_html
from figures.matrix import Matrix
from figures.own import MOST_TOKENS, WIDEST, read
from figures.own_plane import Plane
from figures.own_view import EMPTY, HIDDEN

from .test_code import run

rng = np.random.default_rng(2)
Q, K, V = rng.normal(size=(5, 3)), rng.normal(size=(5, 3)), rng.normal(size=(5, 7))
WORDS = ["<b>the</b>", " cat\n", "saw", "", "a word of more than twenty-four letters"]
MASK = np.array([[True, False, True, True, False]] * 3 + [[False] * 5] + [[True] * 5])  # row 4 sees nothing


def npz(**arrays) -> bytes:
    held = io.BytesIO()
    np.savez_compressed(held, **({"Q": Q, "K": K, "V": V} | arrays))
    return held.getvalue()


def npy(array, **how) -> bytes:
    held = io.BytesIO()
    np.save(held, array, **how)
    return held.getvalue()


def as_json(**lists) -> bytes:
    return json.dumps({"Q": Q.tolist(), "K": K.tolist(), "V": V.tolist()} | lists).encode()


def lines(**rows) -> bytes:
    held = {"Q": Q.tolist(), "K": K.tolist(), "V": V.tolist()} | rows
    return "\n".join(",".join([name, *map(str, row)]) for name, table in held.items() for row in table).encode()


def wish(name: str, content: bytes, **more) -> dict:
    return {"load": {"id": 1, "name": name, "content": base64.b64encode(content).decode()}, **more}


def loaded(name: str = "head.npz", content: bytes | None = None, row: int = 1, **knobs) -> Matrix:
    figure = Matrix(**knobs)
    news, problems = figure.receive(wish(name, content or npz(), own_row=row))
    assert news and problems == []
    figure._refresh()
    return figure


# -- reading -----------------------------------------------------------------------------------------------------------

FORMATS = {
    "head.npz": npz(tokens=np.array(WORDS), mask=MASK),
    "HEAD.NPZ": npz(tokens=np.array(WORDS), mask=MASK.astype(np.uint8)),
    "head.json": as_json(tokens=WORDS, mask=MASK.tolist()),
    "lower.json": json.dumps(
        {"q": Q.tolist(), "k": K.tolist(), "v": V.tolist(), "mask": MASK.astype(int).tolist(), "tokens": WORDS}
    ).encode(),
    "": b"\n " + as_json(tokens=WORDS, mask=MASK.tolist()),
}


@pytest.mark.parametrize("name", FORMATS)
def test_formats_give_the_same_head(name):
    head = read(name, FORMATS[name])
    for got, expected in ((head.q, Q), (head.k, K), (head.v, V), (head.allowed, MASK)):
        np.testing.assert_array_equal(got, expected)
    assert head.tokens == ("<b>the</b>", "cat", "saw", "␣", "a word of more than twe…")


def test_csv():
    words = [["a", "b c", "d", "e", "f"]]
    head = read("head.csv", "﻿".encode() + lines(tokens=words, mask=MASK.astype(int).tolist()))
    np.testing.assert_array_equal(head.v, V)
    np.testing.assert_array_equal(head.allowed, MASK)
    assert head.tokens == tuple(words[0])
    assert read("", lines()).name == "pasted.csv"
    np.testing.assert_array_equal(read("", lines(mask=[[1, 0, 1, 1, 0]])).allowed, np.tile(MASK[0], (5, 1)))


@pytest.mark.parametrize("dtype", ["<f2", ">f4", "f8", "i1", "u4"])
def test_stack_of_numpy_in_any_type_of_number(dtype):
    stack = (4 * rng.normal(size=(3, 5, 2))).astype(dtype if dtype != "u4" else "i4").astype(dtype)
    stack = np.abs(stack) % 100 if dtype == "u4" else stack
    head = read("head.npy", npy(np.asfortranarray(stack)))
    np.testing.assert_array_equal([head.q, head.k, head.v], stack.astype(float))
    assert head.q.dtype == np.float64
    assert head.tokens == ("1", "2", "3", "4", "5") and head.allowed is None


def test_a_mask_for_the_keys_holds_for_every_query():
    np.testing.assert_array_equal(read("a.npz", npz(mask=MASK[0])).allowed, np.tile(MASK[0], (5, 1)))


BOMB = npz(Q=np.zeros((3 * own_files.LARGEST // 8, 1)))
WHOLE = npz()
HUGE_HEAD = b"\x93NUMPY\x01\x00" + (b"v\x00" + b"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 1000000000, 9), }".ljust(117) + b"\n")  # fmt: skip

REFUSED = {
    "too large": ("a.npz", bytes(own_files.LARGEST + 1), "file: expected at most 4 MB, got 4.0 MB"),
    "nothing": ("a.json", b" \n", "file: expected Q, K and V, got nothing"),
    "other kind": ("a.pt", b"x", "file: expected .npz, .npy, .csv or .json, got 'a.pt'"),
    "zip bomb": ("a.npz", BOMB, "file: expected at most 8 MB when unpacked, got 12.0 MB"),
    "no archive": ("a.npz", b"PK\x03\x04 and so on", "file: expected an archive of NumPy (.npz, by np.savez), got something else, or only a part of one"),
    "cut archive": ("a.npz", WHOLE[:-40], "file: expected an archive of NumPy (.npz, by np.savez), got something else, or only a part of one"),
    "cut array": ("a.npy", npy(np.zeros((3, 5, 2)))[:-8], "array: expected 240 bytes for the shape (3, 5, 2), got 232; the file is not whole"),
    "array that claims much": ("a.npy", HUGE_HEAD, "array: expected 216000000000 bytes for the shape (3, 1000000000, 9), got 0; the file is not whole"),
    "pickle as npy": ("a.npy", pickle.dumps([Q, K, V]), "array: expected an array as np.save writes it, got something else"),
    "objects": ("a.npz", npz(V=np.array([[{}], [1], [2], [3], [4]])), "V: expected numbers or text, got Python objects, which need pickle, and pickle can run code; save with dtype=float, or dtype=str for tokens"),
    "tokens as objects": ("a.npz", npz(tokens=np.array(WORDS, dtype=object)), "tokens: expected numbers or text, got Python objects, which need pickle, and pickle can run code; save with dtype=float, or dtype=str for tokens"),
    "no K": ("a.json", b'{"Q": [[1]], "V": [[1]], "key": 3}', "file: expected lists named Q, K and V, got 'Q', 'V', 'key'"),
    "not JSON": ("a.json", b'{"Q": [[1], \n[2 3]]}', "file: expected JSON, got an error in line 2: Expecting ',' delimiter"),
    "deep JSON": ("a.json", b"[" * 200_000, "file: expected JSON with lists of lists, got lists nested too deep"),
    "endless number": ("a.json", b'{"Q": ' + b"1" * 5000 + b"}", "file: expected JSON with numbers up to 1e6, got one that is far too long"),
    "list": ("a.json", b"[1, 2]", "file: expected a JSON object with Q, K and V, got a list"),
    "not text": ("a.csv", b"Q,1\xff", "file: expected text in UTF-8, got other bytes"),
    "words": ("a.csv", b"Q,1,x\nK,1,2\nV,1,2", "Q: expected numbers, got 'x' in its line 1"),
    "null": ("a.json", as_json(Q=[[None]]), "Q: expected numbers only, got text, null or something else among them"),
    "ragged": ("a.json", as_json(K=[[1, 2], [3]]), "K: expected rows of one length, got lengths 1 and 2"),
    "stack": ("a.npy", npy(Q), "array: expected Q, K and V stacked as (3, T, d), got the shape (5, 3)"),
    "four axes": ("a.npz", npz(Q=Q[None, None]), "Q: expected two axes (T, d_k), got the shape (1, 1, 5, 3); take one head of one sequence, such as Q[0, 0]"),
    "one axis": ("a.npz", npz(V=V[0]), "V: expected two axes (T, d_v), got the shape (7,)"),
    "complex": ("a.npz", npz(Q=Q + 1j), "Q: expected real numbers, got the type complex128"),
    "booleans": ("a.npz", npz(Q=Q > 0), "Q: expected real numbers, got the type bool"),
    "empty": ("a.npz", npz(Q=Q[:, :0]), "Q: expected (T, d_k) with sizes of at least 1, got (5, 0)"),
    "long": ("a.npz", npz(Q=np.zeros((129, 3))), "Q: expected at most 128 tokens (rows), got 129; save the first, such as Q[:128]"),
    "wide": ("a.npz", npz(Q=np.zeros((5, 768))), "Q: expected at most 256 numbers a row, got 768; is this one head, or all?"),
    "NaN": ("a.npz", npz(K=np.where(K[2, 1] == K, np.nan, K)), "K: expected finite numbers, got NaN in row 3, column 2"),
    "infinite": ("a.csv", lines(V=[[math.inf, 1]] * 5), "V: expected finite numbers, got inf in row 1, column 1"),
    "steep": ("a.npz", npz(K=K + 2e6), "K: expected numbers up to 1e6, got 2e+06 in row 1, column 1"),
    "keys unlike queries": ("a.npz", npz(K=K[:4]), "K: expected (T, d_k) = (5, 3) like Q, got (4, 3)"),
    "values of another length": ("a.npz", npz(V=V[:4]), "V: expected (T, d_v) with T = 5 like Q, got (4, 7)"),
    "tokens": ("a.json", as_json(tokens=["a"]), "tokens: expected T = 5 names, got 1"),
    "tokens are numbers": ("a.json", as_json(tokens=[1] * 5), "tokens: expected a list of texts, got something else"),
    "tokens are an array of numbers": ("a.npz", npz(tokens=np.arange(5)), "tokens: expected one axis of text (dtype=str), got the shape (5,) of the type int64"),
    "additive mask": ("a.npz", npz(mask=np.where(MASK, 0, -1e9)), "mask: expected booleans (True = may attend), got the type float64, and other numbers than 0 and 1"),
    "numbers as mask": ("a.npz", npz(mask=MASK + 1), "mask: expected booleans (True = may attend), got the type int64, and other numbers than 0 and 1"),
    "shape of the mask": ("a.npz", npz(mask=MASK[:4]), "mask: expected (T, T) = (5, 5), or (T,) = (5,) for the keys alone, got (4, 5)"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_a_wrong_file_gets_one_sentence_and_the_state_before_stays(case):
    name, content, sentence = REFUSED[case]
    with pytest.raises(ValueError, match="expected") as refusal:
        read(name, content)
    assert str(refusal.value) == sentence
    figure = loaded(row=2)
    before, shown = figure.own, figure.shown
    live = Live([figure])
    answer = live.hear(json.dumps({"seq": 1, "figures": {"matrix": wish(name, content)}}))
    assert answer["problem"] == "" and answer["figures"]["matrix"]["problems"] == [sentence + "."]
    assert figure.own is before and figure.shown is shown


def test_nothing_of_a_file_is_run(tmp_path):
    class Trap:
        def __reduce__(self):
            return (tmp_path.joinpath("sprung").touch, ())

    trap = np.empty((1, 1), dtype=object)
    trap[0, 0] = Trap()
    for name, content in (("a.npy", npy(trap)), ("a.npz", npz(Q=trap)), ("a.npy", pickle.dumps(Trap()))):
        with pytest.raises(ValueError, match=r"pickle|np\.save"):
            read(name, content)
    assert not (tmp_path / "sprung").exists()


def test_a_member_that_lies_about_its_size_gives_no_more_than_it_announces():
    """The central directory says 8 bytes; what is packed would be 100 MB."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in (("K", K), ("V", V)):
            archive.writestr(f"{name}.npy", npy(array))
        archive.writestr("Q.npy", bytes(100_000_000))
    content, size = bytearray(held.getvalue()), (100_000_000).to_bytes(4, "little")
    while (at := content.find(size)) >= 0:
        content[at : at + 4] = (8).to_bytes(4, "little")
    with pytest.raises(ValueError, match=r"archive of NumPy|np\.save"):
        read("a.npz", bytes(content))


@given(st.binary(max_size=300), st.sampled_from(["a.npz", "a.npy", "a.csv", "a.json", ""]), st.booleans())
def test_any_bytes_give_a_head_or_one_sentence(content, name, begun):
    start = {"a.npz": WHOLE[:200], "a.npy": npy(Q)[:90], "a.csv": b"Q,1\n", "a.json": b'{"Q": ', "": b"{"}[name]
    try:
        said = ""
        read(name, start + content if begun else content)
    except ValueError as refusal:
        said = str(refusal)
    assert not said or ("expected" in said and "\n" not in said)


# -- what is shown -----------------------------------------------------------------------------------------------------


def by_hand(q, k, v, allowed, beta):
    """The definition, row by row, without `core`; a query that sees no key gets NaN."""
    scores = beta * np.array([[math.fsum(x * y) for y in k] for x in q]) / math.sqrt(q.shape[1])
    weights = np.full(scores.shape, np.nan)
    for i, row in enumerate(allowed):
        if row.any():
            powers = np.where(row, np.exp(scores[i] - scores[i][row].max()), 0)
            weights[i] = powers / math.fsum(powers)
    return scores, weights, weights @ v


def sizes() -> st.SearchStrategy:
    return st.tuples(
        st.sampled_from([1, 2, 3, 7, 128]), st.sampled_from([1, 2, 5, 256]), st.sampled_from([1, 2, 3, 64])
    )


@given(sizes(), st.floats(0, 8), st.booleans(), st.integers(0, 50), st.booleans(), st.integers(0, 2**32 - 1))
def test_pictures_and_words_for_heads_of_any_size(size, beta, causal, shuffle, masked, seed):
    T, d_k, d_v = size
    draw = np.random.default_rng(seed)
    q, k, v = draw.normal(size=(T, d_k)), draw.normal(size=(T, d_k)), draw.normal(size=(T, d_v))
    mask = draw.random((T, T)) < 0.6
    row = int(draw.integers(1, T + 1))
    content = npz(Q=q, K=k, V=v, **({"mask": mask} if masked else {}))
    figure = loaded(content=content, row=row, beta=beta, causal=causal, shuffle=shuffle)
    order = figure.result.order
    assert sorted(order) == list(range(T)) and (shuffle or (order == np.arange(T)).all())
    allowed = (mask if masked else np.ones((T, T), dtype=bool))[order][:, order] & (
        np.tri(T, dtype=bool) | (not causal)
    )
    scores, weights, output = by_hand(q[order], k[order], v[order], allowed, beta)
    np.testing.assert_allclose(figure.result.scores, scores, atol=1e-10)
    np.testing.assert_allclose(figure.result.weights, weights, atol=1e-12)
    np.testing.assert_allclose(figure.result.output, output, atol=1e-11)
    parts = figure.parts(figure.result)
    cells = json.loads(parts["cells"], parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    levels = {
        name: np.frombuffer(base64.b64decode(text), np.uint8).reshape(T, T) for name, text in cells["levels"].items()
    }
    empty = ~allowed.any(axis=1)
    assert (levels["scores"] == HIDDEN).tolist() == (~allowed).tolist()
    assert (levels["weights"][empty] == EMPTY).all()
    assert (levels["weights"][~empty] == HIDDEN).tolist() == (~allowed[~empty]).tolist()
    np.testing.assert_allclose(levels["weights"][allowed], 100 * np.sqrt(weights[allowed]), atol=0.51)
    np.testing.assert_allclose(levels["scores"][allowed], 50 + 50 * (scores / (abs(scores) + 1.5))[allowed], atol=0.51)
    field = {name: np.frombuffer(base64.b64decode(text), "<f8") for name, text in figure.field(figure.result).items()}
    np.testing.assert_array_equal(field["weights"], figure.result.weights.ravel())
    np.testing.assert_array_equal(field["scores"], figure.result.scores.ravel())
    at = [math.nan if x is None else x for x in cells["at"]["weights"]]
    np.testing.assert_array_equal(at, figure.result.weights[row - 1])
    said = figure.describe(figure.result)
    assert said.startswith(f"Row {row} ") and said.endswith(".") and "nan" not in said and "  " not in said
    points = figure.columns(figure.result)["values"]
    assert np.abs([points["x"], points["y"]]).max() <= 4.5 + 1e-9
    assert as_csv(figure).count("\n") == T * T + 1 and as_html(figure).count("<tr>") == T + 1


def test_plane_holds_what_the_singular_values_say():
    values = rng.normal(size=(31, 6)) * [5, 1, 0.1, 3, 1, 1] + 7
    plane = Plane.of(values)
    centred = values - values.mean(axis=0)
    spread = np.sort(np.linalg.eigvalsh(centred.T @ centred))[::-1]
    assert plane.share == pytest.approx(spread[:2].sum() / spread.sum(), rel=1e-12)
    assert f"{100 * plane.share:.1f} % of their variance" in plane.says()
    placed = plane.place(values) * plane.unit
    np.testing.assert_allclose(np.sort((placed**2).sum(axis=0))[::-1], spread[:2], rtol=1e-10)
    mix = rng.dirichlet(np.ones(31))
    np.testing.assert_allclose(
        plane.place(mix @ values), mix @ plane.place(values), atol=1e-12
    )  # no way out of the hull
    assert Plane.of(values[:, :2]).share is None and Plane.of(values[:1]).share == 1.0
    np.testing.assert_array_equal(
        Plane.of(values[:, :2]).place(values[:, :2]) * Plane.of(values[:, :2]).unit, values[:, :2]
    )


def test_shuffling_moves_all_but_under_the_causal_mask():
    mask = npz(mask=MASK)
    moved = loaded(content=mask, shuffle=4)
    assert moved.result.weights_gap <= 1e-12 and moved.result.output_gap <= 1e-12  # the mask of the file moves along
    fixed = loaded(shuffle=4, causal=True)
    assert fixed.result.weights_gap > 0.05 and "A′ is not PAPᵀ" in fixed.describe(fixed.result)


def test_a_query_without_a_key_is_said():
    figure = loaded(content=npz(mask=MASK, tokens=np.array(WORDS)), row=4)
    assert figure.describe(figure.result) == (
        "Row 4, '␣', may read from no key, so its weights are 0/0: NaN. A query needs at least one key that it may see."
    )
    assert "NaN" in figure.parts(figure.result)["sum"]
    assert not any(figure.columns(figure.result)["values"]["text"])
    figure.receive({"own_row": 1})
    assert figure.describe(figure.result).endswith("Row 4 sees no key, so the weights there are NaN.")


def test_words_of_a_file_are_text_not_html():
    figure = loaded(content=npz(tokens=np.array(["<img src=x onerror=alert(1)>"] * 5)))
    figure.ensure_built()
    live = Live([figure])
    answer = live.hear('{"seq": 1, "figures": {"matrix": {"everything": true, "numbers": true}}}')["figures"]["matrix"]
    assert not any("<img" in text for text in (*answer["parts"].values(), answer["sentence"], answer["numbers"]))


def test_a_long_row_is_written_by_its_largest_terms():
    big = rng.normal(size=(128, 4))
    figure = loaded(content=npz(Q=big, K=big, V=big), row=17)
    text, weights = figure.parts(figure.result)["sum"], figure.result.weights[16]
    assert text.count("<i>v</i>") == 6 and "122 smaller terms" in text and "a vector of 4 numbers" in text
    assert text.index(f"<sub>{weights.argmax() + 1}</sub>") < 120
    assert f"together {np.sort(weights)[:122].sum():.3f}" in text


# -- live --------------------------------------------------------------------------------------------------------------


def talk(live: Live, **wishes) -> dict:
    answer = live.hear(json.dumps({"seq": 1, "figures": {"matrix": wishes}}))
    assert answer["problem"] == ""
    return answer["figures"]["matrix"]


def test_load_pick_and_back():
    figure = Matrix()
    figure.ensure_built()
    live = Live([figure])
    sentence = talk(live, everything=True)
    answer = talk(live, **wish("head.npz", npz()))
    own = json.loads(answer["parts"]["cells"])["own"]
    assert own == {"id": 1, "name": "head.npz", "sizes": "5 tokens, d_k = 3, d_v = 7", "row": 1, "named": False}
    assert figure.sources["scores"].data["x"] == [] and len(figure.sources["values"].data["x"]) == 5
    answer = talk(live, own_row=4, knobs={"causal": "true"})
    assert answer["description"].startswith("Row 4 sees 4 keys") and answer["query"] == "causal=true"
    assert talk(live, own_row=99)["description"].startswith("Row 5 ")
    assert "field" not in answer and set(talk(live, field=True)["field"]) == {"scores", "weights"}
    talk(live, preset="standard")
    back = talk(live, unload=True)
    assert back["description"] == sentence["description"]
    assert {**back["parts"]} == sentence["parts"]
    assert len(figure.sources["scores"].data["x"]) == 36


def test_a_load_and_a_knob_in_one_message_are_one_refresh(monkeypatch):
    figure, calls = Matrix(), []
    live = Live([figure])
    compute = Matrix.compute
    monkeypatch.setattr(Matrix, "compute", lambda self: calls.append(1) or compute(self))
    talk(live, **wish("head.npz", npz()), knobs={"beta": "2"})
    talk(live, own_row=2)
    talk(live, **wish("head.npz", b"PK"))
    assert len(calls) == 2


def test_bad_messages_are_answered():
    live = Live([Matrix()])
    assert talk(live, load={"name": "a.npz", "content": "?"})["problems"] == [
        "file: expected bytes in base64, got something else."
    ]
    assert Matrix().receive({"own_row": 3}) == (False, None)


def test_the_largest_head_in_the_browsers_python():
    from export import inside

    inside.open("matrix")
    big = rng.normal(size=(MOST_TOKENS, WIDEST))
    message = {"seq": 1, "figures": {"matrix": wish("big.npz", npz(Q=big, K=big, V=big))}}
    answer = json.loads(inside.hear(json.dumps(message)))
    assert answer["problem"] == "" and answer["columns"]["matrix.scores"]["x"] == []
    again = json.loads(inside.hear('{"seq": 2, "figures": {"matrix": {"knobs": {"beta": "2"}}}}'))
    assert set(again["columns"]) == {"matrix.values", "matrix.output"}  # pictures travel as short texts, not as lists
    assert len(json.dumps(again["figures"])) < 60_000
    inside.hear('{"seq": 3, "figures": {"matrix": {"unload": true, "reset": true}}}')


# -- code --------------------------------------------------------------------------------------------------------------

PROGRAMS = {
    "head.npz": npz(mask=MASK),
    "it's a head.npz": npz(),
    "head.npy": npy(np.stack([Q, K, V[:, :3]]).astype(np.float32)),
    "head.json": as_json(mask=MASK.tolist()),
    "head.csv": lines(mask=[[1, 0, 1, 1, 0]]),
    "pasted.json": as_json(tokens=WORDS),
    "pasted.csv": lines(),
}
STATES = [{}, {"beta": 2.5, "causal": True}, {"causal": True, "shuffle": 4}, {"beta": 0.0, "shuffle": 9}]


def programs(name: str, folder) -> list[Matrix]:
    (folder / name).write_bytes(PROGRAMS[name])
    typed = "" if name.startswith("pasted") else name
    return [loaded(typed, PROGRAMS[name], **state) for state in STATES]


@pytest.mark.parametrize("name", PROGRAMS)
def test_numpy_code_reads_the_file_and_gives_exactly_what_is_drawn(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for figure in programs(name, tmp_path):
        names, printed = run(figure.code("numpy"))
        for array in ("weights", "output"):
            np.testing.assert_array_equal(names[array], getattr(figure.result, array))
        assert str(figure.result.weights.round(3)) in printed


@pytest.mark.torch
@pytest.mark.parametrize("name", PROGRAMS)
def test_torch_code_reads_the_file_and_gives_what_is_drawn(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for figure in programs(name, tmp_path):
        names, _ = run(figure.code("torch"))
        for array in ("weights", "output"):
            np.testing.assert_allclose(names[array].numpy(), getattr(figure.result, array), atol=1e-12)
