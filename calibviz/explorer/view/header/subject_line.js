// The browser's half of subject_line.py: words with buttons, each of which opens a list of what it can become.

const MANY = 8; // offers, from which on they can be searched

export default heard({
  render({ model, el }) {
    el.classList.add("calibviz-subject");
    keepKeys(el); // they are for the list that is open
    const line = add(el, "div");
    let open = null; // the name of the part whose list is open
    let list = null;

    function close(focus = false) {
      const name = open;
      list?.remove();
      [open, list] = [null, null];
      for (const button of line.querySelectorAll("button")) button.setAttribute("aria-expanded", "false");
      if (focus) buttonOf(name)?.focus();
    }

    const buttonOf = (name) => [...line.querySelectorAll("button")].find((button) => button.dataset.name === name);

    function show(part) {
      const again = open === part.name;
      close();
      if (again) return;
      open = part.name;
      const button = buttonOf(part.name);
      button.setAttribute("aria-expanded", "true");
      list = make("div", { className: "offers" });
      list.setAttribute("role", "group");
      list.setAttribute("aria-label", `${part.name}: what to look at instead`);
      const rows = make("div");
      const none = make("small", { textContent: "nothing of that name", hidden: true });
      for (const offer of part.offers) {
        const row = make("button", { type: "button", textContent: offer.text });
        if (offer.note) row.append(" ", make("small", { textContent: offer.note }));
        if (offer.current) row.setAttribute("aria-current", "true");
        row.addEventListener("click", () => {
          model.send({ choose: [part.name, offer.text] });
          close(true);
        });
        rows.append(row);
      }
      const few = part.few ?? part.offers.length;
      const more = make("button", { type: "button", className: "more", textContent: `${part.offers.length - few} more …` });
      let wanted = "", isAll = few >= part.offers.length;
      const filter = () => {
        const match = (row) => row.textContent.toLowerCase().includes(wanted);
        [...rows.children].forEach((row, i) => { row.hidden = wanted ? !match(row) : !isAll && i >= few; });
        more.hidden = isAll || wanted !== "";
        none.hidden = [...rows.children].some((row) => !row.hidden);
      };
      more.addEventListener("click", () => {
        isAll = true;
        filter();
        rows.children[few].focus();
      });
      filter();
      if (part.offers.length > MANY) {
        const search = make("input", { type: "search", placeholder: "search …" });
        search.setAttribute("aria-label", `search: ${part.name}`);
        search.addEventListener("input", () => {
          wanted = search.value.trim().toLowerCase();
          filter();
        });
        search.addEventListener("keydown", (event) => {
          if (event.key !== "Enter") return;
          event.preventDefault(); // else it would press the button that has the focus by then
          visible(rows)[0]?.click();
        });
        list.append(search);
      }
      list.append(rows, none, more);
      el.append(list);
      list.style.top = `${button.offsetTop + button.offsetHeight + 2}px`;
      list.style.left = `${Math.max(0, Math.min(button.offsetLeft, el.offsetWidth - list.offsetWidth))}px`;
      (list.querySelector("input, [aria-current=true]") ?? rows.firstElementChild).focus();
    }

    function draw() {
      const parts = model.get("content");
      const active = /** @type {HTMLElement} */ (document.activeElement);
      const focused = line.contains(active) ? active.dataset.name : null;
      line.replaceChildren(...parts.map((part, i) => {
        const shown = make(part.offers.length ? "button" : "span");
        write(shown, part.text);
        if (part.field) shown.append(" ", make("small", { textContent: part.field }));
        shown.dataset.name = part.name;
        if (part.offers.length) {
          Object.assign(shown, { type: "button", className: "part" });
          shown.title = [part.code, `Change: ${part.name}`].filter(Boolean).join("\n");
          shown.setAttribute("aria-expanded", String(open === part.name));
          shown.setAttribute("aria-haspopup", "true");
          shown.addEventListener("click", () => show(part));
        }
        const dot = make("span", { className: "dot", textContent: "·" });
        dot.setAttribute("aria-hidden", "true");
        const step = make("span", { className: "step" }); // no line begins with a dot
        step.append(shown, ...(i < parts.length - 1 ? [dot] : []));
        return step;
      }));
      if (focused) buttonOf(focused)?.focus();
    }

    const stops = () => list &&
      [...list.querySelectorAll("input"), ...visible(list.querySelector("div")), ...list.querySelectorAll(".more:not([hidden])")];
    walkList(el, stops, () => close(true));
    const stay = closeOutside(el, () => list && close());
    const stop = drawOn(model, ["content"], draw);
    return () => {
      stay();
      stop();
    };
  },
});

const visible = (rows) => [...rows.children].filter((row) => !row.hidden);
