// The browser's half of number_grid.py: a table with a number to type in every cell.

const DIGITS = 4; // that are shown of a number; what is not typed anew keeps all of them

export default heard({
  render({ model, el }) {
    el.classList.add("calibviz-number-grid", "widget-inline-hbox");
    keepKeys(el);
    const label = add(el, "div", { className: "widget-label" });
    const table = add(el, "table");
    const sum = add(el, "input", { type: "text", disabled: true }); // in the place of a table that has no effect
    let drawn = ""; // the names that the table was made for

    function draw() {
      const [rows, columns, value] = [model.get("rows"), model.get("columns"), model.get("value")];
      const [word, term] = writeLabel(label, model.get("description"));
      const [first] = (term ?? "").split(" · ");
      const names = JSON.stringify([rows, columns]);
      if (drawn !== names) makeTable(rows, columns);
      drawn = names;
      table.hidden = model.get("disabled");
      sum.hidden = !table.hidden;
      const numbers = value.flat().map(shortened);
      const text = new Set(numbers).size === 1 ? `all ${numbers[0]}` : numbers.join(", ");
      if (sum.value !== text) sum.value = text;
      sum.setAttribute("aria-label", label.textContent);
      el.classList.toggle("is-square", columns.length > 0 && !table.hidden);
      table.setAttribute("aria-label", label.textContent);
      for (const input of table.querySelectorAll("input")) {
        const [i, j] = placeOf(input);
        const ofColumn = columns.length ? `, ${columns[j]}` : "";
        input.setAttribute("aria-label", `${word}, ${first}: ${rows[i]}${ofColumn}`);
        show(input, value[i]?.[j]);
      }
    }

    function makeTable(rows, columns) {
      table.replaceChildren();
      if (columns.length) {
        const head = add(add(table, "thead"), "tr");
        add(head, "td");
        for (const name of columns) add(head, "th", { scope: "col", textContent: name, title: name });
      }
      const body = add(table, "tbody");
      rows.forEach((name, i) => {
        const row = add(body, "tr");
        add(row, "th", { scope: "row", textContent: name, title: name });
        for (let j = 0; j < Math.max(1, columns.length); j++) {
          const input = add(add(row, "td"), "input", { type: "number", step: "any" });
          Object.assign(input.dataset, { row: i, column: j });
          if (model.get("least") != null) input.min = model.get("least");
          input.addEventListener("change", () => enter(input));
        }
      });
    }

    function enter(input) {
      const [i, j] = placeOf(input);
      const value = model.get("value").map((row) => [...row]);
      const number = input.valueAsNumber;
      if (!Number.isFinite(number)) { // as it was, and Python says why
        show(input, value[i][j]);
        return model.send({ refused: [i, j] });
      }
      value[i][j] = number;
      if (model.get("is_symmetric")) value[j][i] = number;
      model.set("value", value);
      model.save_changes();
    }

    return drawOn(model, ["description", "rows", "columns", "value", "disabled"], draw);
  },
});

function placeOf(input) {
  return [Number(input.dataset.row), Number(input.dataset.column)];
}

function shortened(number) {
  return String(Number(number.toPrecision(DIGITS)));
}

function show(input, number) {
  const text = number === undefined ? "" : shortened(number);
  if (input.value !== text) input.value = text;
}
