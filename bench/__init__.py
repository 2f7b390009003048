"""How fast the figures answer the hand, beside the fastest that Bokeh could. `python -m bench` runs it.

What is measured
----------------
*Lag* of an input: from the moment the mouse moved to the first painted picture that shows this input or a newer one.
*Staleness* of a drag: the lag of its last input. Both for two pages in the same Chromium, in the same run:

*served*
    our page as students get it: the hand moves, Python computes, the picture follows.
*floor*
    the same figure, same HTML, same Bokeh plots and sources, but the numbers come from a CustomJS callback in the
    browser, nothing is sent anywhere and no text changes (`bench.floor`). Nothing that Bokeh draws can be faster.

How
---
The mouse is real as far as the page can tell: Chromium gets mouse moves from outside, through its debugging protocol,
and they go the way of every mouse move. Under a stream they are sent by the clock, without waiting for the page, so
that a slow page cannot slow its own examination (`bench.hand`).

One script listens in both pages (`probe.js`). It notes every move with the time at which the browser got it, also of
moves that the browser merged into one event because the page was busy. It notes every painting of the plot: which
output was *drawn* (read from the glyph, not from its source, which may be ahead), and the time at which the frame was
done. Bokeh paints inside an animation frame; a message posted there comes back when the frame has been laid out,
painted and handed over. What happens later, in the compositor and on the way to the screen, the page cannot see; it is
left out on both sides alike.

Which input a painting shows is found by the numbers: for every state that the hand asked for, `core` says which output
belongs to it, and the newest state with exactly that output is the one on the screen (`bench.lag`). The path of the
hand never returns to a place. A picture with an output that belongs to no state is an error, not a lag.

Blocks of served and floor alternate, and who begins alternates too, so that other work on the machine hits both.
"""
