// The browser's half of file_drop.py: a place for a file, which is sent piece by piece as Python asks for them.

// Views of one widget share these, since Python answers all of them.
let turns = 0;

export default {
  render({ model, el }) {
    el.classList.add("calibviz-file-drop");
    const place = el.appendChild(make("label"));
    const words = place.appendChild(make("span", { textContent: "Drop a file here, or " }));
    words.append(make("strong", { textContent: "choose one" }));
    const hint = place.appendChild(make("small"));
    const input = place.appendChild(make("input", { type: "file" }));
    const sent = el.appendChild(make("progress", { hidden: true, ariaLabel: "sent" }));
    let file = null;
    let turn = null;

    const describe = () => {
      hint.textContent = model.get("hint");
      input.accept = model.get("accept");
    };
    const take = () => {
      if (!input.files.length) return;
      [file] = input.files;
      turn = ++turns * 1000 + Math.floor(Math.random() * 1000);
      input.value = ""; // so that the same file can be chosen again once it has changed
      sent.hidden = false;
      sent.value = 0;
      model.send({ name: file.name, size: file.size, turn });
    };
    const answer = async (message) => {
      if (message.turn !== turn || file === null) return;
      if (message.done) {
        sent.hidden = true;
        file = null;
        return;
      }
      sent.value = message.to / Math.max(file.size, 1);
      const { turn: now } = message;
      try {
        const piece = await file.slice(message.from, message.to).arrayBuffer();
        if (now === turn) model.send({ turn }, undefined, [piece]);
      } catch (error) {
        if (now === turn) model.send({ turn, failed: String(error.message ?? error) });
      }
    };
    const over = (is) => () => place.classList.toggle("is-over", is);
    const listeners = { change: take, dragenter: over(true), dragleave: over(false), drop: over(false) };
    for (const [name, listener] of Object.entries(listeners)) input.addEventListener(name, listener);
    model.on("change:hint change:accept", describe);
    model.on("msg:custom", answer);
    describe();
    return () => {
      model.off("change:hint change:accept", describe);
      model.off("msg:custom", answer);
    };
  },
};

function make(tag, properties = {}) {
  return Object.assign(document.createElement(tag), properties);
}
