// Figures that a server computes: messages go through a Bokeh model that is all its document holds (figures/wire.py).

// The promise gives what sends a message, or nothing where the server cannot be reached.
export async function served(session, {token}, from) {
  const {gate, figures, page} = session, {origin, pathname, search} = new URL(from)
  const {pull_session} = Bokeh.require("client/connection")
  const gone = () => page.notice(session, "The server does not answer. Your state is kept in the address.", () => location.reload())
  const asked = await pull_session(`${origin.replace("http", "ws")}${pathname}/ws`, token, search.slice(1)).catch(gone)
  const doc = asked?.document
  if (!doc) return

  // Bokeh makes a new wire when the connection was cut, and that may happen before the picture is drawn.
  const wire = () => doc.get_model_by_name("wire")
  const send = message => { wire().up = JSON.stringify(message) }
  function listen() {
    const {properties} = wire()
    properties.down.change.connect(() => gate.answer(JSON.parse(properties.down.get_value())))
  }

  doc.on_event("connection_lost", (_doc, event) => {
    gate.disconnect()
    // null: Bokeh gives up. The state is in the address, so a fresh page shows it again.
    if (event.timeout === null) gone()
    else page.notice(session, "Connection lost. The figure waits for the server and goes on by itself.")
  })
  // Bokeh then has pulled a fresh document, or the server has even made a new one: it gets the state of this page.
  doc.on_event("client_reconnected", () => {
    page.notice(session, "")
    for (const [slug, figure] of figures) {
      gate.restore(slug, {...figure.texts})
      figure.again()
    }
    listen()
    gate.connect(send)
  })

  listen()
  return send
}
