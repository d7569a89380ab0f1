// What the scripts of this folder share: each of them stands below these lines, in one module.

const ALONG = { ArrowDown: 1, ArrowUp: -1 }; // steps of keys in a list

// Text is never HTML: names of classes, fields and models are anybody's.
function make(tag, properties = {}) {
  return Object.assign(document.createElement(tag), properties);
}

function add(parent, tag, properties) {
  return parent.appendChild(make(tag, properties));
}

function makeShape(tag, attributes) {
  const shape = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) shape.setAttribute(name, value);
  return shape;
}

function set(element, name, value) {
  if (value) element.setAttribute(name, value);
  else element.removeAttribute(name);
}

// Text in place of what an element holds; nothing happens if it stands there already, so that selected text stays.
function write(element, words) {
  const text = unbroken(words);
  const isThere = element.textContent === text && [...element.children].every((part) => part.localName === "time");
  if (!isThere) element.replaceChildren(...datesUnbroken(text));
}

// No line ends between a number and its per cent sign, or between a p-value and its name.
function unbroken(text) {
  return text.replaceAll(" %", "\u00a0%").replaceAll("p = ", "p\u00a0=\u00a0");
}

// No line ends at the hyphens of a date. No sign in the text keeps it together, so that a copied date is one.
function datesUnbroken(text) {
  return text.split(/(\b\d{4}-\d\d(?:-\d\d)?\b)/).map((part, i) => {
    if (i % 2 === 0) return part;
    const date = make("time", { textContent: part });
    date.style.whiteSpace = "nowrap";
    return date;
  });
}

// JupyterLab takes keys for its cells, unless the element that has the focus, or one around it, asks for them.
function keepKeys(element) {
  element.dataset.lmSuppressShortcuts = "true";
}

// Draw now, and whenever a trait of these names changes. Returns how to end that.
function drawOn(model, names, draw) {
  const changes = names.map((name) => `change:${name}`).join(" ");
  model.on(changes, draw);
  draw();
  return () => model.off(changes, draw);
}

// The label of a control of our own: a word, and the term in an element of its own. Returns both.
function writeLabel(label, description) {
  const [word, term] = description.replace(/<\/span>$/, "").split(/ ?<span[^>]*>/);
  label.replaceChildren(word, ...(term ? [" ", make("span", { className: "calibviz-term", textContent: term })] : []));
  return [word, term];
}

// The keys of a list that belongs to an element: Escape closes it, the arrow keys walk along its `stops`, which are null
// while it is closed.
function walkList(el, stops, close) {
  el.addEventListener("keydown", (event) => {
    const open = stops();
    if (!open) return;
    if (event.key === "Escape") {
      close();
    } else if (event.key in ALONG) {
      const at = open.indexOf(document.activeElement) + ALONG[event.key];
      open[Math.max(0, Math.min(at, open.length - 1))]?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
}

// Call `close` when somebody presses anywhere else. Returns how to end that.
function closeOutside(el, close) {
  const leave = (event) => el.contains(event.target) || close();
  document.addEventListener("pointerdown", leave);
  return () => document.removeEventListener("pointerdown", leave);
}
