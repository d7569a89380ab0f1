import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { load, Model, openPage, press } from "./page.js";

const CELL = { text: "", why: "", below: "", bar: null, shade: null, faint: false, picture: "", strip: null };
const cells = (...texts) => texts.map((text) => ({ ...CELL, text }));
const CONTENT = {
  name: "errors", title: "Errors", alt: "errors by class", note: "", clickable: "cells", first: 0, current: null,
  columns: ["", "none", ""].map((sort, i) => ({ text: ["class", "ECE", "KS"][i], why: "", sort })),
  rows: [cells("cat", "1 %", "2 %"), cells("dog", "3 %", "4 %")],
};
let model, el, script, inner;

beforeEach(async () => {
  const page = openPage('<div class="calibviz-explorer"><div></div></div>');
  el = page.querySelector(".calibviz-explorer > div");
  inner = await load("TableView", "colourAt", "luminance", "unbroken", "datesUnbroken");
  script = inner.default;
  model = new Model({ content: structuredClone(CONTENT) });
  script.render({ model, el });
});

const cellAt = (row, column) => el.querySelector("tbody").rows[row].cells[column];

test("cells are changed in place", () => {
  const cell = cellAt(1, 2);
  const words = cell.firstChild;
  cell.focus();
  model.set("content", { ...CONTENT, rows: [CONTENT.rows[0], cells("dog", "5 %", "4 %"), cells("eel", "6 %", "7 %")] });
  assert.equal(cellAt(1, 2), cell);
  assert.equal(cell.firstChild, words); // selected text stays
  assert.equal(document.activeElement, cell);
  assert.equal(cellAt(1, 1).textContent, "5\u00a0%");
  assert.equal(el.querySelectorAll("tbody tr").length, 3);
  model.set("content", { ...CONTENT, rows: [CONTENT.rows[0]] });
  assert.equal(el.querySelectorAll("tbody tr").length, 1);
});

test("text is never HTML", () => {
  model.set("content", { ...CONTENT, title: "<img src=x>", rows: [cells("<b>cat</b>", "<script>", "&amp;")] });
  assert.equal(el.querySelector("b, script, img"), null);
  assert.equal(cellAt(0, 0).textContent, "<b>cat</b>");
});

test("a heading that sorts says so and keeps the focus", () => {
  const [button] = el.querySelectorAll("thead button");
  button.focus();
  button.click();
  assert.deepEqual(model.sent, [{ sort: 1 }]);
  const columns = CONTENT.columns.map((column) => ({ ...column, sort: column.sort && "descending" }));
  model.set("content", { ...CONTENT, columns, rows: [...CONTENT.rows].reverse() });
  assert.equal(document.activeElement, button);
  assert.equal(button.closest("th").getAttribute("aria-sort"), "descending");
  assert.equal(cellAt(0, 0).textContent, "dog");
});

test("one cell at a time is a stop of the Tab key, and arrow keys lead to the others", () => {
  const stops = () => [...el.querySelectorAll("td[tabindex='0']")];
  assert.deepEqual(stops(), [cellAt(0, 1)]);
  cellAt(0, 1).focus();
  press(cellAt(0, 1), "ArrowDown");
  press(document.activeElement, "ArrowRight");
  press(document.activeElement, "ArrowRight"); // there is no further column
  assert.equal(document.activeElement, cellAt(1, 2));
  assert.deepEqual(stops(), [cellAt(1, 2)]);
  press(document.activeElement, "Enter");
  assert.deepEqual(model.sent, [{ click: [1, 2] }]);
  press(document.activeElement, "Home");
  assert.equal(document.activeElement, cellAt(1, 1)); // never the name of the row
});

test("who points at a row tells the view, and who leaves it too", () => {
  const heard = [];
  el.closest(".calibviz-explorer").addEventListener("calibviz:point", ({ detail }) => heard.push(detail));
  const places = [{ score: 0.2, classes: [0], low: null }, { score: 0.7, classes: [1], low: 0.6 }];
  model.set("content", { ...CONTENT, places });
  cellAt(0, 1).dispatchEvent(new window.Event("pointerover", { bubbles: true }));
  el.querySelector("tbody").dispatchEvent(new window.Event("pointerleave"));
  assert.deepEqual(heard, [{ score: 0.2, classes: [0], from: el }, null]);
});

test("words stand out from every shade at 4.5:1", () => {
  for (let shade = 0; shade <= 1; shade += 1 / 256) {
    const back = inner.luminance(inner.colourAt(shade));
    const ink = back > 0.179 ? 0 : 1;
    assert.ok((Math.max(back, ink) + 0.05) / (Math.min(back, ink) + 0.05) >= 4.5, String(shade));
  }
  assert.deepEqual(inner.colourAt(1), [254, 232, 56]);
});

test("no line ends inside of a share or a date, and what is copied is as it was", () => {
  assert.equal(inner.unbroken("95 % of p = 0.03"), "95\u00a0% of p\u00a0=\u00a00.03");
  const parts = inner.datesUnbroken("from 2024-01-31 on");
  assert.deepEqual(parts.map((part) => part.textContent ?? part), ["from ", "2024-01-31", " on"]);
  assert.equal(parts[1].style.whiteSpace, "nowrap");
});
