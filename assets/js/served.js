// Figures that a server computes: messages go through a Bokeh model, changed columns come with Bokeh's own patches.
export function served(session) {
  const {doc, gate, figures, page} = session

  function tie() {
    const wire = doc.get_model_by_name("wire")
    wire.properties.down.change.connect(() => gate.answer(JSON.parse(wire.down)))
    session.tied(message => { wire.up = JSON.stringify(message) })
  }

  doc.on_event("connection_lost", (_doc, event) => {
    gate.disconnect()
    // null: Bokeh gives up. The state is in the address, so a fresh page shows it again.
    if (event.timeout === null) page.notice(session, "The server does not answer. Your state is kept in the address.", () => location.reload())
    else page.notice(session, "Connection lost. The figure waits for the server and goes on by itself.")
  })
  // Bokeh then has pulled a fresh document, or the server has even made a new one: it gets the state of this page.
  doc.on_event("client_reconnected", () => {
    page.notice(session, "")
    for (const [slug, figure] of figures) {
      gate.restore(slug, {...figure.texts})
      figure.again()
    }
    tie()
  })

  tie()
}
