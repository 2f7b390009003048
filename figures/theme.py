"""One table of colours. The style sheet and the canvas both read it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .ramp import palette

if TYPE_CHECKING:  # figures also work where Bokeh is not installed
    from bokeh.model import Model

HEADS = "abcdef"
TINT = 36  # percent of the colour of a head in its cells


def _tinted(colours: dict[str, str]) -> dict[str, str]:
    """The table with a pale colour for each head, which text can stand on."""
    return colours | {f"head-{h}-tint": palette(f"paper>head-{h}", colours)[TINT] for h in HEADS}


LIGHT = _tinted({
    "paper": "#ffffff", "wash": "#f6f4ef", "wash-2": "#ece9e1",
    "ink": "#17191d", "ink-2": "#4a4d54",
    "line": "#d8d6d0", "line-2": "#85837d", "grid": "#e9e7e2", "axis": "#b3b0a9",
    "ok": "#1d6b48",
    "query": "#f8c048", "query-edge": "#7a5600",
    "key": "#6f31d2", "value": "#848c99", "output": "#3a67a7",
    "masked": "#a72254", "masked-text": "#a72254",
    "neg": "#53b0c9", "pos": "#d8742a", "neg-2": "#a9d9e5", "pos-2": "#f0bb92", "masked-tint": "#f3e0e8",
    "head-a": "#009e73", "head-b": "#d55e00", "head-c": "#56b4e9", "head-d": "#cc79a7", "head-e": "#e0cf1a",
    "head-f": "#0072b2",
})  # fmt: skip

DARK = _tinted({
    "paper": "#14161a", "wash": "#1d2025", "wash-2": "#2a2e35",
    "ink": "#ece9e3", "ink-2": "#b4b5b8",
    "line": "#34383f", "line-2": "#767a82", "grid": "#23262c", "axis": "#555a63",
    "ok": "#6fcf9f",
    "query": "#fcc804", "query-edge": "#4d3d00",
    "key": "#886dff", "value": "#b5bdc9", "output": "#5891d8",
    "masked": "#d41874", "masked-text": "#ff74b0",
    "neg": "#7ad7d8", "pos": "#e8935a", "neg-2": "#1d6672", "pos-2": "#8f3b1e", "masked-tint": "#351627",
    "head-a": "#22a878", "head-b": "#e4742a", "head-c": "#a8d4f8", "head-d": "#dd93bc", "head-e": "#f0e442",
    "head-f": "#2a76c4",
})  # fmt: skip

# On a projector thin greys vanish, so they get darker (or, on dark paper, lighter).
PRESENT_LIGHT = {"ink-2": "#2b2d32", "grid": "#dedcd6", "axis": "#77746d", "line": "#a19e97", "line-2": "#55534e"}
PRESENT_DARK = {"ink-2": "#dcdad5", "grid": "#2f333a", "axis": "#8b9099", "line": "#5a5f68", "line-2": "#a3a7ae"}

THEMES = {"light": LIGHT, "dark": DARK, "present": LIGHT | PRESENT_LIGHT, "present-dark": DARK | PRESENT_DARK}

CANVAS_FONT = {"value": "Inter"}  # a bare string would be the name of a column


def css() -> str:
    """The colour tokens as custom properties, for both themes and for presenting.

    >>> ":root{color-scheme:light;--paper:#ffffff" in css()
    True
    """

    def block(selector: str, scheme: str, colours: dict[str, str]) -> str:
        return f"{selector}{{color-scheme:{scheme};" + "".join(f"--{k}:{v};" for k, v in colours.items()) + "}"

    def dark(selector: str, colours: dict[str, str]) -> str:
        system = block(f"{selector}:not([data-theme=light])", "dark", colours)
        chosen = block(f"{selector}[data-theme=dark]", "dark", colours)
        return f"@media (prefers-color-scheme:dark){{{system}}}{chosen}"

    return "\n".join([
        block(":root", "light", LIGHT),
        dark(":root", DARK),
        block(":root[data-present]", "light", PRESENT_LIGHT),
        dark(":root[data-present]", PRESENT_DARK),
    ])  # fmt: skip


def ink(model: Model, **tokens: str) -> Model:
    """Colour a Bokeh model by tokens, and leave a note (its tags) so that the browser can recolour it.

    A property name such as ``line_color`` gets the name of a token. The model gets the light colour now; when the
    reader changes the theme, the script of the page reads the tags and sets the colours of the new theme. The
    ``palette`` of a colour mapper gets several tokens, see `figures.ramp`. Widths and sizes in pixels are noted, too:
    on a projector they grow with the text.

    >>> from bokeh.models import Span
    >>> span = ink(Span(location=0, line_width=1.5), line_color="axis")
    >>> span.line_color, span.tags
    ('#b3b0a9', ['line_color=axis', 'line_width*1.5'])
    """
    model.update(**{n: palette(t, LIGHT) if n == "palette" else LIGHT[t] for n, t in tokens.items()})
    model.tags = [f"{name}={token}" for name, token in tokens.items()] + [
        f"{name}*{getattr(model, name)}"
        for name in SIZES
        if name in model.properties() and isinstance(getattr(model, name), int | float | str)
    ]
    model.syncable = False  # colours and sizes are the browser's own business
    return model


SIZES = ("line_width", "size", "text_font_size", "text_outline_width", "grid_line_width")
