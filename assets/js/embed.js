// Attention Lab: makes each frame as high as the figure in it. Once on a page, anywhere, before or after the frames:
//
//   <script src="(address of the lab)/embed.js" async></script>
//
// A figure tells its height by {type: "figure-height", slug, height}. We take it only from the window of a frame of this
// page, and only if it comes from the address in that frame's src. Nothing is read, kept or sent anywhere; the one thing
// we say is {type: "figure-ask"}, to frames of our own host that were here before us. Frames may come and go.
//
// To set a figure: frame.contentWindow.postMessage({type: "figure-state", knobs: {tau: 0.2}}, (origin of the lab))
;(() => {
  if (window.attentionLab) return  // a second copy on the same page
  window.attentionLab = true
  const frames = () => [...document.querySelectorAll("iframe[src]")]

  addEventListener("message", ({source, origin, data}) => {
    if (data?.type !== "figure-height" || !(data.height > 0 && data.height < 20_000)) return
    const frame = frames().find(each => each.contentWindow === source)
    if (!frame || new URL(frame.src).origin !== origin) return
    const border = getComputedStyle(frame).boxSizing === "border-box" ? frame.offsetHeight - frame.clientHeight : 0
    frame.style.height = `${data.height + border}px`
  })

  const ours = new URL("./", document.currentScript.src).href
  for (const frame of frames()) if (frame.src.startsWith(ours)) frame.contentWindow.postMessage({type: "figure-ask"}, "*")
})()
