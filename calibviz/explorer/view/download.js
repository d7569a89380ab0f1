// The browser's half of download.py: saves files and fills the clipboard.

export default {
  initialize({ model }) {
    const listen = async (content, buffers) => {
      if ("offer" in content) save(content.offer, content.kind, buffers[0]);
      else if ("copy" in content) model.send({ copied: await copy(content.copy) });
    };
    model.on("msg:custom", listen);
    return () => model.off("msg:custom", listen);
  },
};

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
  const focused = document.activeElement;
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
