"""The matrix figure in Dash: `python -m bench.rivals.dash_app PORT`, with the Python of its environment."""

from __future__ import annotations

import sys


def main(port: int) -> None:
    from dash import Dash, Input, Output, dcc, html

    from .drawing import picture

    app = Dash()
    app.layout = html.Div([
        dcc.Slider(0, 8, 0.01, value=1, marks=None, updatemode="drag", id="beta"),
        dcc.Checklist(["causal"], [], id="causal"),
        dcc.Graph(id="graph", figure=picture(1, False)),
    ])  # fmt: skip

    @app.callback(Output("graph", "figure"), Input("beta", "value"), Input("causal", "value"))
    def draw(beta: float, causal: list[str]) -> object:
        return picture(beta, bool(causal))

    app.run(port=port, debug=False)


if __name__ == "__main__":
    main(int(sys.argv[1]))
