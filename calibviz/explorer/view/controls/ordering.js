// The browser's half of ordering.py: a row for each name, with buttons that move it, and a place to write another one.

const SHOWN = 100; // rows in the page
const STEPS = { up: -1, down: 1 };
const SIGNS = { up: "↑", down: "↓", remove: "×" };

export default heard({
  render({ model, el }) {
    el.classList.add("calibviz-ordering", "widget-inline-hbox");
    keepKeys(el);
    const label = add(el, "div", { className: "widget-label" });
    const box = add(el, "div");
    const rows = add(box, "ol");
    const more = add(box, "small");
    const another = add(box, "input", { type: "text", placeholder: "add one …" });
    const usual = add(box, "button", { type: "button", className: "usual", textContent: "as recognised" });

    const names = () => (model.get("value").length ? model.get("value") : model.get("names"));
    const choose = (value) => {
      model.set("value", [...new Set(value.map((name) => name.trim()).filter(Boolean))]);
      model.save_changes();
    };

    // Moves a name; the same button of its row has the focus then, or, where it can go no further, the other one.
    const move = (i, step, which) => {
      const order = [...names()];
      if (i + step < 0 || i + step >= order.length) return;
      order.splice(i + step, 0, ...order.splice(i, 1));
      choose(order);
      const row = rows.children[i + step];
      const [button] = [row.querySelector(`.${which}`), ...row.querySelectorAll("button")].filter((one) => !one.disabled);
      (which === "name" ? row.querySelector("input") : button).focus();
    };

    function newRow() {
      const row = add(rows, "li");
      const place = () => [...rows.children].indexOf(row);
      const name = add(row, "input", { type: "text", className: "name" });
      name.addEventListener("change", () => choose(names().map((other, i) => (i === place() ? name.value : other))));
      name.addEventListener("keydown", (event) => {
        if (!event.altKey || !(event.key in ALONG)) return;
        event.preventDefault();
        move(place(), ALONG[event.key], "name");
      });
      for (const [which, sign] of Object.entries(SIGNS)) {
        const button = add(row, "button", { type: "button", className: which, textContent: sign });
        button.addEventListener("click", () => {
          if (which in STEPS) move(place(), STEPS[which], which);
          else choose(names().filter((_, i) => i !== place()));
        });
      }
    }

    function draw() {
      const [word] = writeLabel(label, model.get("description"));
      const there = names();
      const shown = there.slice(0, SHOWN);
      while (rows.children.length > shown.length) rows.lastElementChild.remove();
      while (rows.children.length < shown.length) newRow();
      shown.forEach((text, i) => {
        const [name, up, down, remove] = rows.children[i].children;
        name.value = text;
        name.setAttribute("aria-label", `${word}: ${i + 1}`);
        up.setAttribute("aria-label", `move ${text} up`);
        down.setAttribute("aria-label", `move ${text} down`);
        remove.setAttribute("aria-label", `remove ${text}`);
        up.disabled = i === 0;
        down.disabled = i === there.length - 1;
      });
      more.textContent = there.length > SHOWN ? `${there.length - SHOWN} more` : "";
      another.setAttribute("aria-label", `${word}: add one, or several with commas between them`);
      usual.hidden = model.get("value").length === 0;
      for (const control of el.querySelectorAll("input")) control.disabled = model.get("disabled");
    }

    another.addEventListener("change", () => {
      const added = another.value.split(",");
      another.value = "";
      choose([...names(), ...added]);
    });
    usual.addEventListener("click", () => {
      choose([]);
      another.focus();
    });
    return drawOn(model, ["names", "value", "description", "disabled"], draw);
  },
});
