"""Blocks of the text in which it is the reader's turn: predictions, checks, self-checks; and videos to press.

Everything a reader needs is in the HTML, so that it reads and prints without scripts; what only scripts can do is
hidden until they wake it (assets/js/study.js).
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from urllib.parse import quote

Inline = Callable[[str], str]  # Markdown of one line to HTML
Block = Callable[[str, Inline], tuple[str, str]]  # words after the name, → HTML before and after the body

TICK = '<svg class="ic" viewBox="0 0 16 16" aria-hidden="true"><path d="m3 8.5 3.5 3.5L13 4.5"/></svg>'
CROSS = '<svg class="ic" viewBox="0 0 16 16" aria-hidden="true"><path d="m4 4 8 8M12 4l-8 8"/></svg>'
PLAY = '<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M5 3v10l8-5z" fill="currentColor"/></svg>'
SURE = {"guess": "a guess", "fairly": "fairly sure", "sure": "sure"}


def numbered(words: str) -> tuple[str, str]:
    number, _, rest = words.partition(" ")
    if not number.isdigit():
        raise ValueError(f"block: expected a number first, got {words!r}")
    return number, rest


def asked(kind: str, name: str, label: str, question: str) -> str:
    """A form of one question, open where its choices follow."""
    return (
        f'<form class="turn {kind}" id="{name}" novalidate><p class="turn-no">{label}</p>'
        f'<p class="ask" id="{name}-ask">{question}</p><fieldset class="opts" aria-labelledby="{name}-ask">'
    )


def radio(group: str, value: str, words: str) -> str:
    return f'<label class="opt"><input type="radio" name="{group}" value="{value}"><span>{words}</span></label>'


def submit(words: str) -> str:
    # Disabled, too: without scripts the Enter key must not send the form anywhere.
    return f'<button class="btn primary" data-wake hidden disabled>{words}</button><span role="status"></span>'


def predict(words: str, inline: Inline) -> tuple[str, str]:
    n, question = numbered(words)
    name = f"prediction-{n}"
    sure = "".join(radio(f"{name}-sure", value, said) for value, said in SURE.items())
    return asked("predict", name, f"Question {n} of 2", inline(question)), (
        '</fieldset><div class="say" data-wake hidden>'
        f'<fieldset class="opts sure"><legend>How sure are you?</legend>{sure}</fieldset>'
        f'<label class="why-so" for="{name}-words">Why do you think so? <i>optional</i></label>'
        f'<textarea id="{name}-words" name="words" rows="2" maxlength="1000"></textarea></div>'
        f'<p class="turn-foot">{submit("Keep my prediction")}'
        f'<span>The answer stands <a href="#{name}-answer">at the end of section 3</a>.</span></p></form>'
    )


def answer(words: str, inline: Inline) -> tuple[str, str]:
    n, right = numbered(words)
    name = f"prediction-{n}"
    return (
        f'<div class="turn answer" id="{name}-answer" data-of="{name}" data-right="{right}">'
        f'<p class="turn-no"><a href="#{name}">Question {n} of section 1</a></p>'
        f'<div class="waiting" hidden><p>You have not predicted yet.</p><p class="turn-foot">'
        f'<a class="btn" href="#{name}">Go to question {n}</a>'
        '<button type="button" class="btn" data-skip>Skip and show the answer</button></p></div>'
        '<div class="yours" hidden></div><div class="truth" tabindex="-1"><p class="label">The answer</p>',
        "</div></div>",
    )


def told(words: str, inline: Inline) -> tuple[str, str]:
    """What is to be said of one choice of a prediction, once its answer is shown."""
    choice, _, short = words.partition(" ")
    return (
        f'<div class="told" data-choice="{choice}"><p class="label">If you chose “{inline(short)}”</p>',
        "</div>",
    )


def check(words: str, inline: Inline) -> tuple[str, str]:
    n, question = numbered(words)
    opens = asked("check", f"check-{n}", f"Quick check {n}", inline(question))
    return opens, f'</fieldset><p class="turn-foot">{submit("Check")}</p></form>'


def choice(words: str, inline: Inline) -> tuple[str, str]:
    """A choice of a prediction; ``words`` begin with the name of its question (lesson/rules.py)."""
    group, name, said = words.split(" ", 2)
    return f'<div class="option" data-choice="{name}">{radio(group, name, inline(said))}', "</div>"


def judged(verdict: str, icon: str, right: bool) -> Block:
    """A choice of a check, and under it what is to be said of it."""

    def block(words: str, inline: Inline) -> tuple[str, str]:
        before, after = choice(words, inline)
        mark = " data-right" if right else ""
        first = '<span class="first" hidden>This was your first answer.</span>'
        head = f'<p class="ruling">{icon}<b>{verdict}</b> {first}</p>'
        return f'{before}<div class="why"{mark}>{head}', f"</div>{after}"

    return block


def self_check(words: str, inline: Inline) -> tuple[str, str]:
    n, question = numbered(words)
    return folded_question("self", n, inline(question)), (
        f'<p class="rated" role="group" aria-label="How was it?" data-self="{n}" data-wake hidden>'
        '<button type="button" class="btn" data-rate="had" aria-pressed="false">I had it</button>'
        '<button type="button" class="btn" data-rate="not" aria-pressed="false">Not yet</button></p></div></details>'
    )


def interview(words: str, inline: Inline) -> tuple[str, str]:
    n, question = numbered(words)
    return folded_question("interview", n, inline(question)), "</div></details>"


def folded_question(name: str, n: str, question: str) -> str:
    return (
        f'<details class="self question" id="{name}-{n}"><summary><span class="n">{n}</span>'
        f"<span>{question}</span></summary><div>"
    )


def video(words: str, inline: Inline) -> tuple[str, str]:
    """A card with a poster of our own; YouTube is asked when the reader presses, not before."""
    id_, start, rest = words.split(" ", 2)
    title, _, channel = (part.strip() for part in rest.partition("|"))
    seconds = int(start)
    watch = f"https://www.youtube.com/watch?v={quote(id_)}" + (f"&amp;t={seconds}s" if seconds else "")
    embed = f"https://www.youtube-nocookie.com/embed/{quote(id_)}?start={seconds}&amp;autoplay=1"
    return (
        f'<article class="video" id="video-{id_}" data-embed="{embed}" data-title="{escape(title)}">'
        f'<div class="vid" data-wake hidden><button type="button" aria-label="Play here: {escape(title)}. '
        f'Loads the video from YouTube"><span class="vid-t">{inline(title)}</span><span class="vid-p">{PLAY}</span>'
        '<span class="vid-n"><b>Play here</b> loads the video from YouTube</span></button></div>'
        f'<div class="vid-w"><p class="vid-h">{inline(title)}</p><p class="vid-c">{inline(channel)}</p>',
        f'<p class="vid-c"><a href="{watch}">Watch on YouTube</a></p><p class="vid-c" role="status"></p>'
        "</div></article>",
    )


TURNS: dict[str, Block] = {
    "predict": predict, "answer": answer, "told": told, "choice": choice, "check": check,
    "right": judged("Right.", TICK, True), "wrong": judged("Not yet.", CROSS, False),
    "self": self_check, "interview": interview, "video": video,
}  # fmt: skip
