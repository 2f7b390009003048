"""The matrix figure in Streamlit, which runs this file anew at each input."""

from __future__ import annotations


def main() -> None:
    import streamlit as st

    from bench.rivals.drawing import picture

    beta = st.slider("beta", 0.0, 8.0, 1.0, 0.01)
    causal = st.checkbox("causal")
    st.plotly_chart(picture(beta, causal), width="content")


if __name__ == "__main__":
    main()
