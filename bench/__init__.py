"""How fast everything is, beside the fastest that it could be. `python -m bench` runs it; docs/performance.md explains
what the numbers mean and how to repeat them.

How an input is measured
------------------------
*Lag* of an input: from the moment the browser got it to the end of the first frame that shows it or a newer one.
*Staleness* of a drag: the lag of its last input. Each figure is open twice in one Chromium:

*served*
    the page as students get it: the hand moves, Python computes, the picture follows.
*floor*
    the same page, but its answers are in the browser already (`bench.floor`, `replay.js`): columns and HTML change at
    once, nothing is computed and nothing is sent. What the browser itself needs for this figure, and no less.

The mouse is real as far as the page can tell: Chromium gets mouse events from outside, through its debugging protocol.
Under a stream they are sent by the clock, without waiting for the page, so that a slow page cannot slow its own
examination (`bench.hand`).

One script listens in both pages (`probe.js`). It notes every input with the time at which the browser got it, also of
those that the browser merged into one event because the page was busy. Every message of the page carries a number, and
its answer has the same: so it is known which answer belongs to which inputs. An answer counts as shown when every plot
that it changed has been painted and that frame is done; one that changes HTML only, at the end of the next frame. A
message posted inside an animation frame comes back when the frame has been laid out, painted and handed over. What
happens later, in the compositor and on the way to the screen, the page cannot see; it is left out on all sides alike.

Pages of other frameworks have no such numbers: there, what is asked for is read from the controls, and what is shown
from the title of the picture (`rivals/rival.js`).

Blocks of all sides alternate, and who begins alternates too, so that other work on the machine hits all of them.
"""
