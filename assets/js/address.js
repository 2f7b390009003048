// Address of the page of a figure, from wherever that page and this one are served.
export const pageOf = slug => new URL(document.documentElement.dataset.pages.replace("%", slug), document.baseURI).href

// The page of a figure in a state, with keys of the page (theme, hide …).
export function linkOf(slug, query, keys = {}) {
  const all = [query, ...Object.entries(keys).map(written)].filter(Boolean).join("&")
  return pageOf(slug) + (all && `?${all}`)
}

// One pair of a query, as short as Python writes it (figures/state.py).
export const written = ([key, text]) =>
  encodeURIComponent(key) + (text && `=${encodeURIComponent(text).replaceAll("%2C", ",").replaceAll("%3B", ";")}`)

// The state of the figures as the address of the page says it. On a figure's own page the keys are its knobs (tau=0.2);
// in the lesson, where several figures stand, they carry its name (lookup.tau=0.2).
export class Address {
  constructor(figures, lesson) {
    this.figures = figures
    this.lesson = lesson
    this.before = slug => lesson ? `${slug}.` : ""
    addEventListener("popstate", () => this.write())  // the place is that of before, the figures are not
  }

  // What it asks of a figure: knob → text. In the lesson an unknown name is of the figure, too; on its own page it may
  // be of the page (theme, present).
  asked(slug) {
    const before = this.before(slug), known = this.figures.get(slug).texts
    const mine = [...new URLSearchParams(location.search)].filter(([key]) => key.startsWith(before))
      .map(([key, text]) => [key.slice(before.length), text])
    return Object.fromEntries(this.lesson ? mine : mine.filter(([name]) => name in known))
  }

  #isOurs(key) {
    return [...this.figures].some(([slug, {texts}]) => this.lesson ? key.startsWith(`${slug}.`) : key in texts)
  }

  // Keys of no figure (theme, hide, present …) stay as they are.
  link(place = location.hash) {
    const others = [...new URLSearchParams(location.search)].filter(([key]) => !this.#isOurs(key)).map(written)
    const states = [...this.figures].flatMap(([slug, {query}]) =>
      query ? query.split("&").map(pair => this.before(slug) + pair) : [])
    const query = [...others, ...states].join("&")
    return location.origin + location.pathname + (query && `?${query}`) + place
  }

  write() {
    const link = this.link()
    if (link !== location.href) history.replaceState(history.state, "", link)
  }
}
