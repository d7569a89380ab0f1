// The browser's half of download.py: saves files, fills the clipboard, and keeps the address of the page up to date.

const PAUSE = 300; // ms without a change, after which the address follows; browsers refuse many changes a second

export default heard({
  initialize({ model }) {
    const listen = async (content, buffers) => {
      if ("offer" in content) save(content.offer, content.kind, buffers[0]);
      else if ("copy" in content) {
        const text = content.isQuery ? new URL(content.copy, location.href).href : content.copy;
        model.send({ copied: await copy(text), text });
      }
    };
    let timer, hasEnded = false;
    const end = () => { // what the page then is, has an address without choices, which nobody else is to hear
      hasEnded = true;
      clearTimeout(timer);
    };
    const follow = () => {
      clearTimeout(timer);
      if (hasEnded) return;
      const query = model.get("address");
      // Only Voila's page shows one view and nothing else: the address of a notebook is never touched.
      if (!query || !document.body.dataset.voila) return;
      timer = setTimeout(() => history.replaceState(history.state, "", query + location.hash), PAUSE);
    };
    model.on("msg:custom", listen);
    model.on("change:address", follow);
    window.addEventListener("calibviz-cut", end);
    follow();
    return () => {
      clearTimeout(timer);
      window.removeEventListener("calibviz-cut", end);
      model.off("msg:custom", listen);
      model.off("change:address", follow);
    };
  },
});

function save(name, type, data) {
  const url = URL.createObjectURL(new Blob([data], { type }));
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60_000); // at once would be too early for some browsers
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyFromField(text); // the page came over plain HTTP, or may not use the clipboard directly
  }
}

function copyFromField(text) {
  const focused = /** @type {HTMLElement | null} */ (document.activeElement);
  const field = Object.assign(document.createElement("textarea"), { value: text });
  field.style.cssText = "position: fixed; opacity: 0";
  document.body.append(field);
  field.select();
  try {
    return document.execCommand("copy");
  } catch {
    return false;
  } finally {
    field.remove();
    focused?.focus({ preventScroll: true });
  }
}
