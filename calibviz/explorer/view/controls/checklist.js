// The browser's half of checklist.py: one line that says what is chosen, and below it a list to search and check.

const MANY = 8; // options, from which on they can be searched
const MOST = 100; // rows in the page
const NAMED = 3; // chosen options that the line names

export default heard({
  render({ model, el }) {
    el.classList.add("calibviz-checklist", "widget-inline-hbox");
    keepKeys(el);
    const label = add(el, "div", { className: "widget-label" });
    const box = add(el, "div");
    const opener = add(box, "button", { type: "button", className: "opener" });
    const list = add(box, "div", { className: "list", hidden: true });
    const search = add(list, "input", { type: "search", placeholder: "search …" });
    const rows = add(list, "div", { className: "rows" });
    const more = add(list, "small");
    const every = add(list, "div", { className: "every" });
    rows.setAttribute("role", "group");

    const chosen = () => model.get("value");
    const choose = (value) => {
      model.set("value", model.get("options").filter((option) => value.includes(option)));
      model.save_changes();
    };
    const wordsOf = (option) => model.get("labels")[model.get("options").indexOf(option)] ?? option;
    const matching = () => {
      const wanted = search.value.trim().toLowerCase();
      return model.get("options").filter((option) => wordsOf(option).toLowerCase().includes(wanted));
    };
    for (const [name, value] of Object.entries({ all: matching, none: () => [] })) {
      const button = add(every, "button", { type: "button", textContent: name });
      button.addEventListener("click", () => choose(value()));
    }

    function draw() {
      const [options, value, counts] = [model.get("options"), chosen(), model.get("counts")];
      const [word] = writeLabel(label, model.get("description"));
      const named = value.length > NAMED ? `${value.length} of ${options.length}` : value.map(wordsOf).join(", ") || "none chosen";
      write(opener, named);
      const name = label.textContent;
      opener.setAttribute("aria-label", `${name}: ${named}`);
      opener.setAttribute("aria-expanded", String(!list.hidden));
      opener.disabled = model.get("disabled");
      search.hidden = options.length <= MANY;
      search.setAttribute("aria-label", `search: ${word}`);
      rows.setAttribute("aria-label", word);
      const shown = list.hidden ? [] : matching();
      more.textContent = shown.length > MOST ? `${shown.length - MOST} more: search` : shown.length ? "" : "nothing of that name";
      const texts = shown.slice(0, MOST);
      while (rows.children.length > texts.length) rows.lastElementChild.remove();
      texts.forEach((text, i) => {
        const row = rows.children[i] ?? newRow();
        const [check, words, count] = row.children;
        row.dataset.option = text; // what is read may differ from it, by a space that breaks no line
        write(words, wordsOf(text));
        check.checked = value.includes(text);
        count.textContent = counts[options.indexOf(text)] ?? "";
      });
    }

    function newRow() {
      const row = add(rows, "label");
      const check = add(row, "input", { type: "checkbox" });
      add(row, "span");
      add(row, "small");
      check.addEventListener("change", () => {
        const { option } = row.dataset;
        const others = chosen().filter((other) => other !== option);
        choose(check.checked ? [...others, option] : others);
      });
      return row;
    }

    opener.addEventListener("click", () => {
      list.hidden = !list.hidden;
      draw();
    });
    search.addEventListener("input", draw);
    const close = () => {
      list.hidden = true;
      draw();
      opener.focus();
    };
    opener.addEventListener("keydown", (event) => list.hidden && event.key in ALONG && opener.click());
    walkList(el, () => (list.hidden ? null : [...list.querySelectorAll("input:not([hidden])")]), close);
    return drawOn(model, ["options", "labels", "value", "counts", "description", "disabled"], draw);
  },
});
