// The browser's half of table.py. Cells are changed in place: focus, scroll position and selected text stay.

// Cividis, dark to light (Nuñez, Anderton & Renslow, 2018).
const SCALE = [[0, 34, 78], [53, 69, 108], [102, 105, 112], [148, 142, 119], [200, 184, 102], [254, 232, 56]];
const STEPS = {
  ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], PageUp: [-8, 0], PageDown: [8, 0],
  Home: [0, -Infinity], End: [0, Infinity],
};
const AXIS = "minmax(170px, 1fr)"; // the width of a column whose strips share an axis
const POINT = "calibviz:point"; // as in pointing.js
const drawn = new WeakMap(); // what each cell shows

export default heard({
  render({ model, el }) {
    el.classList.add("calibviz-table");
    const title = add(el, "h3");
    const search = make("input", { type: "search", className: "search", hidden: true });
    el.append(search);
    keepKeys(search);
    const box = add(el, "div");
    const more = make("button", { type: "button", className: "more", hidden: true });
    el.append(more);
    const note = add(el, "small");
    const table = add(box, "table");
    const caption = add(table, "caption");
    const head = add(add(table, "thead"), "tr");
    const body = add(table, "tbody");
    box.setAttribute("role", "region");
    keepKeys(box);
    let stop = [0, 1]; // row and column that Tab leads to
    let isOpen = ""; // what the row that is open is called; the first is, until another is chosen
    let showsAll = false;

    const targetAt = (/** @type {number[]} */ [row, column]) =>
      model.get("content").clickable === "rows" ? body.rows[row] : body.rows[row]?.cells[column];
    const targetOf = (node) => node.closest("tr[tabindex], td[tabindex]");
    const placeOf = (target) =>
      target.tagName === "TR" ? [target.sectionRowIndex, 0] : [target.parentNode.sectionRowIndex, target.cellIndex];

    // One target at a time is a stop of the Tab key; the arrow keys lead to the others.
    /** @param {number[]} place */
    function stopAt(place) {
      const old = targetAt(stop);
      if (old) old.tabIndex = -1;
      const { clickable, first } = model.get("content");
      const lowest = clickable === "rows" ? 0 : 1;
      const clamp = (value, low, high) => Math.max(low, Math.min(value, high));
      const seen = [...body.rows].map((row, i) => (row.hidden || i < first ? -1 : i)).filter((i) => i >= 0);
      const from = Math.max(0, seen.indexOf(stop[0]));
      const onto = Number.isFinite(place[0]) && seen.includes(stop[0]) ? from + place[0] - stop[0] : place[0];
      const row = seen.includes(place[0]) ? place[0] : seen[clamp(onto, 0, seen.length - 1)] ?? first;
      stop = [row, clamp(place[1], lowest, head.cells.length - 1)];
      const target = targetAt(stop);
      if (target) target.tabIndex = 0;
      return target;
    }

    function draw() {
      const content = model.get("content");
      if (!content.rows) return; // nothing has been shown yet
      const hadFocus = body.contains(document.activeElement);
      const { columns, rows, clickable, first, opened } = content;
      el.classList.toggle("has-opened", opened.length > 0);
      el.classList.toggle("has-axis", columns.some(({ ticks }) => ticks.length));
      el.style.setProperty("--columns", columns.map(({ ticks }) => (ticks.length ? AXIS : "auto")).join(" "));
      if (columns.length !== head.cells.length) columnsChanged();
      el.dataset.name = content.name;
      write(title, content.title);
      write(caption, content.alt);
      write(note, content.note);
      box.setAttribute("aria-label", content.title || content.alt || content.name);
      set(table, "role", clickable && (opened.length ? "treegrid" : "grid")); // of the rows of a plain grid none unfolds

      fit(head, columns.length, () => make("th", { scope: "col" }));
      columns.forEach(({ text, why, sort }, i) => {
        const tag = text ? "th" : "td"; // screen readers stumble over a heading that says nothing
        if (head.cells[i].localName !== tag) head.cells[i].replaceWith(make(tag, text ? { scope: "col" } : {}));
        if (columns[i].ticks.length) writeAxis(head.cells[i], columns[i], rows[0]?.[i].strip?.middle ?? 0.5);
        else writeHeading(head.cells[i], text, sort);
        head.cells[i].classList.toggle("axis", columns[i].ticks.length > 0);
        set(head.cells[i], "title", why);
      });
      fit(body, rows.length, () => make("tr"));
      rows.forEach((cells, i) => {
        const row = body.rows[i];
        fit(row, cells.length + (opened.length ? 1 : 0), (j) => (j ? make("td") : make("th", { scope: "row" })));
        row.classList.toggle("has-detail", Boolean(opened[i]?.detail.length));
        if (opened.length) fillOpened(row.cells[cells.length], opened[i]);
        cells.forEach((cell, j) => {
          fill(row.cells[j], cell, columns[j].ticks);
          set(row.cells[j], "data-column", columns[j].text); // where rows are blocks it stands above the cell
        });
        for (const target of [row, ...[...row.cells].slice(0, cells.length)]) {
          const isPart = clickable === "rows" ? target === row : clickable && target.tagName === "TD";
          const isTarget = isPart && i >= first;
          set(target, "tabindex", isTarget && "-1");
          if (isTarget) keepKeys(target);
        }
      });
      search.hidden = !content.search;
      search.placeholder = content.search;
      search.setAttribute("aria-label", content.search);
      if (opened.length && !rows.some(([{ text, aside }]) => text + aside === isOpen)) open(0);
      filter();
      mark(head, body, content.current);
      light();

      const [row, column] = content.current ?? [];
      const target = clickable && rows.length ? stopAt(hadFocus ? stop : [row ?? stop[0], column ?? stop[1]]) : null;
      if (hadFocus && !body.contains(document.activeElement)) target?.focus({ preventScroll: true });
    }

    function choose(target) {
      if (!target) return;
      const place = placeOf(target);
      if (model.get("content").opened.length) open(place[0]);
      else model.send({ click: place });
    }

    // One row is open. It is known by its name, since rows may change their places.
    function open(place) {
      const { rows } = model.get("content");
      const nameOf = ([{ text, aside }]) => text + aside;
      isOpen = rows[place] ? nameOf(rows[place]) : "";
      [...body.rows].forEach((row, i) => {
        const isThis = rows[i] !== undefined && nameOf(rows[i]) === isOpen;
        row.classList.toggle("open", isThis);
        set(row, "aria-expanded", rows[i] && String(isThis));
      });
    }

    // Rows that hold what is searched for, or as many as are shown at once.
    function filter() {
      const { rows, at_once: atOnce, search: hint } = model.get("content");
      const wanted = hint ? search.value.trim().toLowerCase() : "";
      const holds = ([{ text, aside, why }]) => `${text} ${aside} ${why}`.toLowerCase().includes(wanted);
      let shown = 0;
      [...body.rows].forEach((row, i) => {
        row.hidden = wanted ? !holds(rows[i]) : Boolean(hint && atOnce && !showsAll && i >= atOnce);
        shown += row.hidden ? 0 : 1;
      });
      if (hint) open(Math.max(0, rows.findIndex(([{ text, aside }]) => text + aside === isOpen)));
      const hidesSome = Boolean(hint) && !wanted && rows.length > shown;
      more.hidden = !hidesSome && !(wanted && !shown);
      write(more, hidesSome ? `Show all ${rows.length}` : "Nothing of that name is here: clear the search");
    }

    search.addEventListener("input", filter);
    search.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && search.value) {
        search.value = "";
        filter();
        event.stopPropagation();
      } else if (event.key === "Enter" || event.key === "ArrowDown") {
        const first = [...body.rows].find((row) => !row.hidden);
        if (!first) return;
        open(first.sectionRowIndex);
        stopAt([first.sectionRowIndex, 0]).focus();
        event.preventDefault();
      }
    });
    more.addEventListener("click", () => {
      showsAll = showsAll || !search.value;
      search.value = "";
      filter();
    });
    // "/" leads to the search from anywhere in the view, unless something is being typed.
    const find = (event) => {
      const isTyping = event.target.closest("input, textarea, select, [contenteditable=true]");
      if (event.key !== "/" || isTyping || search.hidden || !search.getClientRects().length) return;
      search.focus();
      event.preventDefault();
    };

    head.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button) model.send({ sort: button.parentNode.cellIndex });
    });
    body.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (!button) choose(targetOf(event.target));
      else model.send({ action: [button.closest("tr").sectionRowIndex, Number(button.dataset.which)] });
    });
    body.addEventListener("change", ({ target }) => {
      if (target.tagName !== "SELECT") return;
      const cell = target.closest("td");
      model.send({ choose: [cell.parentNode.sectionRowIndex, cell.cellIndex, target.value] });
      target.selectedIndex = 0; // what is chosen comes back as what the cell says
    });
    body.addEventListener("focusin", (event) => {
      const target = targetOf(event.target);
      if (target) stopAt(placeOf(target));
    });
    // What a row is about is marked in pictures of the same view, which pointing.js draws, and in other tables.
    const rootOf = () => el.closest(".calibviz-explorer");
    const point = ({ target }) => {
      const place = model.get("content").places?.[target.closest("tr")?.sectionRowIndex];
      const known = place && Object.entries(place).filter(([, value]) => value != null);
      const detail = known ? { ...Object.fromEntries(known), from: el } : null;
      rootOf()?.dispatchEvent(new CustomEvent(POINT, { detail }));
    };
    let pointed = null;
    const light = () => {
      const classes = pointed && pointed.from !== el ? pointed.classes ?? [] : [];
      const places = model.get("content").places ?? [];
      [...body.rows].forEach((row, i) => {
        row.classList.toggle("pointed", Boolean(places[i]?.classes.some((c) => classes.includes(c))));
      });
    };
    let followed = null; // the view that this table stands in; it is not there yet when the table is made
    const follow = ({ detail }) => {
      pointed = detail;
      light();
    };
    const listen = () => {
      if (followed === rootOf()) return;
      followed?.removeEventListener(POINT, follow);
      followed?.removeEventListener("keydown", find);
      followed = rootOf();
      followed?.addEventListener(POINT, follow);
      followed?.addEventListener("keydown", find);
    };
    const leave = ({ relatedTarget }) => body.contains(relatedTarget) || point({ target: el });
    body.addEventListener("pointerover", point);
    body.addEventListener("pointerleave", leave);
    body.addEventListener("focusin", point);
    body.addEventListener("focusout", leave);
    body.addEventListener("keydown", (event) => {
      const target = targetOf(event.target);
      if (!target || event.ctrlKey || event.altKey || event.metaKey) return;
      if (event.key === "Enter" || event.key === " ") {
        if (event.target.closest("button")) return; // one of an open row
        if (!event.repeat) choose(target);
      } else if (event.key in STEPS) {
        const [down, across] = STEPS[event.key];
        const isToEnd = target.tagName === "TR" && !Number.isFinite(across); // of the table, where rows are the targets
        const [row, column] = placeOf(target);
        stopAt([row + (isToEnd ? across : down), column + across]).focus();
      } else return;
      event.preventDefault();
    });

    // Show the rows as blocks where the table would be cut. One that can be sorted scrolls, since its headings are
    // pressed, and so does a map, whose colours are compared along its columns. How wide a table has to be is known
    // from when it was too wide last.
    // Names of rows take more than one line only where there is no room for them on one.
    let tooWide = 0;
    let tooWideUnwrapped = 0;
    const fold = () => {
      const { columns = [], rows = [] } = model.get("content");
      const hasToScroll = columns.some(({ sort }) => sort) || rows.flat().some(({ shade }) => shade != null);
      const isTable = !el.classList.contains("in-blocks");
      const isCut = () => isTable && box.scrollWidth > box.clientWidth;
      if (isCut() && !el.classList.contains("wraps-names")) tooWideUnwrapped = box.scrollWidth;
      el.classList.toggle("wraps-names", box.clientWidth < tooWideUnwrapped);
      if (isCut()) tooWide = box.scrollWidth;
      el.classList.toggle("in-blocks", !hasToScroll && box.clientWidth < tooWide);
      // As many cells in each line of a block, so that none stands alone in the last one.
      const cells = Math.max(1, columns.slice(1).filter(({ ticks }) => !ticks.length).length);
      const most = Math.max(1, Math.floor(box.clientWidth / parseFloat(getComputedStyle(el).getPropertyValue("--cell"))));
      el.style.setProperty("--in-a-line", String(Math.ceil(cells / Math.ceil(cells / most))));
    };
    const columnsChanged = () => { // it may need less room now: the observer measures it again
      [tooWide, tooWideUnwrapped] = [0, 0];
      el.classList.remove("in-blocks", "wraps-names");
    };

    // Only what scrolls needs a stop of its own, from which the arrow keys can scroll it.
    const watch = new ResizeObserver(() => {
      listen(); // a table that has a size stands in its view
      fold();
      const scrolls = box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight;
      set(box, "tabindex", scrolls && "0");
      const isList = !el.classList.contains("has-opened"); // one that opens is as long as its rows, and scrolls nowhere
      el.classList.toggle("is-long", isList && table.offsetHeight > parseFloat(getComputedStyle(el).getPropertyValue("--room")));
    });
    watch.observe(box);
    watch.observe(table);
    const stopDrawing = drawOn(model, ["content"], draw);
    return () => {
      watch.disconnect();
      followed?.removeEventListener(POINT, follow);
      followed?.removeEventListener("keydown", find);
      stopDrawing();
    };
  },
});

// Outline the current cell, row or column, and say it to screen readers.
function mark(head, body, current) {
  const [row, column] = current ?? [];
  const [lastRow, lastColumn] = [body.rows.length - 1, head.cells.length - 1];
  const ring = (cell, i, j) => {
    const inside = current && (row ?? i) === i && (column ?? j) === j;
    cell.classList.toggle("top", Boolean(inside && (row != null || i < 0)));
    cell.classList.toggle("bottom", Boolean(inside && (row != null || i === lastRow)));
    cell.classList.toggle("left", Boolean(inside && (column != null || j === 0)));
    cell.classList.toggle("right", Boolean(inside && (column != null || j === lastColumn)));
  };
  [...head.cells].forEach((cell, j) => {
    ring(cell, -1, j);
    set(cell, "aria-current", current && row == null && column === j && "true");
  });
  [...body.rows].forEach((element, i) => {
    set(element, "aria-current", current && row === i && column == null && "true");
    [...element.cells].forEach((cell, j) => {
      ring(cell, i, j);
      set(cell, "aria-current", current && row === i && column === j && "true");
    });
  });
}

function fill(element, cell, ticks = []) {
  const key = JSON.stringify([cell, ticks]);
  if (drawn.get(element) === key) return;
  drawn.set(element, key);
  if (cell.choices?.length) {
    const menu = make("select");
    menu.setAttribute("aria-label", cell.why);
    for (const text of [cell.text, ...cell.choices]) add(menu, "option", { textContent: text });
    element.replaceChildren(menu);
  } else if (cell.picture) {
    element.replaceChildren(make("img", { src: cell.picture, alt: cell.text }));
  } else if (cell.look === "button" || cell.look === "pressed") { // its row is what is pressed
    element.replaceChildren(make("span", { textContent: cell.text }));
  } else {
    write(element, cell.text);
  }
  if (cell.aside) element.append(" ", make("small", { textContent: cell.aside, className: "aside" }));
  if (ticks.length) {
    element.replaceChildren(make("span", { textContent: cell.text, className: "heard" }));
    if (cell.strip) element.append(onAxis(cell.strip, ticks));
  } else if (cell.strip) element.append(stripOf(cell.strip));
  if (cell.below) write(add(element, "small"), cell.below);
  set(element, "title", cell.why);
  element.classList.toggle("faint", cell.faint);
  element.classList.toggle("bold", cell.bold);
  element.classList.toggle("axis", ticks.length > 0);
  set(element, "data-look", cell.look);
  element.classList.toggle("bar", cell.bar != null);
  element.classList.toggle("shaded", cell.shade != null);
  element.style.setProperty("--bar", `${100 * (cell.bar ?? 0)}%`);
  const colour = cell.shade == null ? null : colourAt(cell.shade);
  element.style.backgroundColor = colour ? `rgb(${colour})` : "";
  element.style.color = colour ? (luminance(colour) > 0.179 ? "#000" : "#fff") : ""; // either way at least 4.5:1
}

// A strip as wide as its column, over the ticks of an axis that all rows share.
function onAxis({ low, value, high, middle, hollow, of, outer, is_first: isFirst }, ticks) {
  const at = (place) => `${(100 * place).toFixed(2)}%`;
  const picture = makeShape("svg", { class: `on-axis ${of}`, "aria-hidden": "true" });
  const upright = (place, name) => makeShape("line", { x1: at(place), x2: at(place), y1: 0, y2: "100%", class: name });
  const level = (from, to, name) => makeShape("line", { x1: at(from), x2: at(to), y1: "50%", y2: "50%", class: name });
  picture.append(...ticks.map(([place]) => upright(place, "tick")), upright(middle, "middle"));
  if (outer) picture.append(level(...outer, "outer"));
  picture.append(level(low, high, "reach"));
  const look = hollow ? "dot hollow" : "dot";
  if (isFirst || of === "after") { // a diamond, or a square
    const corner = makeShape("svg", { x: at(value), y: "50%", overflow: "visible" });
    const d = isFirst ? "M0-7.5 7.5 0 0 7.5-7.5 0z" : "M-4.5-4.5H4.5V4.5H-4.5z";
    corner.append(makeShape("path", { d, class: look }));
    picture.append(corner);
  } else picture.append(makeShape("circle", { cx: at(value), cy: "50%", r: 4.5, class: look }));
  return picture;
}

// What lies on either side of the mark, and below it the ticks.
function writeAxis(cell, { text, sides, ticks }, middle) {
  const key = JSON.stringify([text, sides, ticks, middle]);
  if (drawn.get(cell) === key) return;
  drawn.set(cell, key);
  const names = make("span", { className: "sides" });
  names.style.setProperty("--middle", `${100 * middle}%`);
  for (const words of sides) add(names, "span", { textContent: words });
  const scale = make("span", { className: "scale" });
  for (const [place, label] of ticks) {
    const half = `${0.32 * label.length}em`; // a label at an edge stays in its column
    add(scale, "span", { textContent: label }).style.left = `clamp(${half}, ${100 * place}%, 100% - ${half})`;
  }
  cell.replaceChildren(make("span", { textContent: text, className: "heard" }), names, scale);
}

// The sentences below a row, and the buttons of one that is open.
function fillOpened(cell, { detail, actions, said }) {
  const key = JSON.stringify([detail, actions, said]);
  if (drawn.get(cell) === key) return;
  drawn.set(cell, key);
  cell.className = "opened";
  const sentences = make("p");
  for (const [words, kind] of detail) {
    sentences.append(kind ? make("b", { textContent: words, className: kind.replace(" ", "-") }) : words);
  }
  const buttons = make("div");
  actions.forEach((words, which) => {
    const button = add(buttons, "button", { type: "button", textContent: words });
    button.dataset.which = String(which);
    keepKeys(button);
  });
  add(buttons, "span", { textContent: unbroken(said) });
  cell.replaceChildren(buttons, ...(detail.length ? [sentences] : []));
}

// The numbers stand beside it, so that screen readers need not look at it.
function stripOf({ low, value, high, middle, hollow, origin, of }) {
  const [width, height] = [96, 14];
  const picture = makeShape("svg", { viewBox: `0 0 ${width} ${height}`, class: of, "aria-hidden": "true" });
  const line = (from, to, y1, y2, name) =>
    makeShape("line", { x1: width * from, x2: width * to, y1, y2, class: name });
  if (origin != null) {
    const area = { x: width * origin, y: 1, width: width * (middle - origin), height: height - 2, class: "noise" };
    picture.append(makeShape("rect", area));
  }
  const [x, y, look] = [width * value, height / 2, hollow ? "dot hollow" : "dot"];
  const dot =
    of === "after"
      ? makeShape("rect", { x: x - 3.5, y: y - 3.5, width: 7, height: 7, class: look })
      : makeShape("circle", { cx: x, cy: y, r: 4, class: look });
  picture.append(
    line(middle, middle, 0, height, "middle"),
    line(low, high, height / 2, height / 2, "reach"),
    dot,
  );
  return picture;
}

function colourAt(shade) {
  const at = shade * (SCALE.length - 1);
  const i = Math.min(Math.floor(at), SCALE.length - 2);
  return SCALE[i].map((value, k) => Math.round(value + (at - i) * (SCALE[i + 1][k] - value)));
}

// Relative luminance as in WCAG 2.
function luminance(colour) {
  const [red, green, blue] = colour.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function fit(parent, length, makeChild) {
  while (parent.children.length > length) parent.lastElementChild.remove();
  while (parent.children.length < length) parent.append(makeChild(parent.children.length));
}

// Where rows can be sorted by a column, its heading is a button, which keeps the focus while the rows move.
function writeHeading(cell, text, sort) {
  set(cell, "aria-sort", sort);
  if (!sort) return write(cell, text);
  const button = cell.querySelector("button") ?? make("button", { type: "button" });
  if (button.parentNode !== cell) cell.replaceChildren(button);
  keepKeys(button);
  write(button, text);
}
