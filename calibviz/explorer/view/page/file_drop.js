// The browser's half of file_drop.py: a place for a file, which is sent piece by piece as Python asks for them.

// Views of one widget share these, since Python answers all of them.
let turns = 0;

export default heard({
  render({ model, el }) {
    el.classList.add("calibviz-file-drop");
    const place = add(el, "label");
    const words = add(place, "span", { textContent: "Drop a file here, or " });
    words.append(make("strong", { textContent: "choose one" }));
    const hint = add(place, "small");
    const input = add(place, "input", { type: "file", multiple: true });
    const sent = add(el, "progress", { hidden: true, ariaLabel: "sent" });
    let files = []; // that are to come, the one that comes now first
    let turn = null;

    const describe = () => {
      hint.textContent = model.get("hint");
      input.accept = model.get("accept");
    };
    const take = () => {
      if (!input.files.length) return;
      files = [...input.files];
      input.value = ""; // so that the same file can be chosen again once it has changed
      begin(0, files.length);
    };
    const begin = (place, of) => {
      turn = ++turns * 1000 + Math.floor(Math.random() * 1000);
      sent.hidden = false;
      sent.value = 0;
      model.send({ name: files[0].name, size: files[0].size, turn, place, of });
    };
    const answer = async (message) => {
      if (message.turn !== turn || !files.length) return;
      if (message.done) {
        sent.hidden = true;
        files = message.next ? files.slice(1) : [];
        if (files.length) begin(message.next, message.next + files.length);
        return;
      }
      const [file] = files;
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
    const stop = drawOn(model, ["hint", "accept"], describe);
    model.on("msg:custom", answer);
    return () => {
      stop();
      model.off("msg:custom", answer);
    };
  },
});
