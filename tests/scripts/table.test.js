import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { load, Model, openPage, press } from "./page.js";

const CELL = {
  text: "", why: "", below: "", bar: null, shade: null, faint: false, bold: false, picture: "", strip: null, aside: "",
  look: "",
};
const cells = (...texts) => texts.map((text) => ({ ...CELL, text }));
const CONTENT = {
  name: "errors", title: "Errors", alt: "errors by class", note: "", clickable: "cells", first: 0, current: null,
  opened: [], search: "", at_once: 0,
  columns: ["", "none", ""].map((sort, i) => ({
    text: ["class", "ECE", "KS"][i], why: "", sort, ticks: [], sides: ["", ""],
  })),
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

const STRIP = {
  low: 0.4, value: 0.6, high: 0.8, middle: 0.5, hollow: false, origin: null, of: "stands", outer: [0.3, 0.9],
  is_first: true,
};
const SEGMENTS = {
  ...CONTENT, name: "segments", clickable: "rows", search: "find a field: site", at_once: 2,
  columns: ["segment", "gap"].map((text, i) => ({
    text, why: "", sort: "", ticks: i ? [[0.5, "0"], [0.7, "+10"]] : [], sides: ["too high", "too low"],
  })),
  rows: ["Zurich", "Bern", "young"].map((text, i) => [
    { ...CELL, text, aside: i < 2 ? "site" : "age", why: `field == "${text}"` }, { ...CELL, text: "+3", strip: STRIP },
  ]),
  opened: ["", "12 of these", ""].map((words) => ({
    detail: words ? [[words, "strong"], [" are there", ""]] : [], actions: ["Look at these", "List them"], said: "of 100",
  })),
};
const shown = () => [...el.querySelectorAll("tbody tr")].filter((row) => !row.hidden).map((row) => row.cells[0].textContent);
const opened = () => [...el.querySelectorAll("tr.open")].map((row) => row.sectionRowIndex);

test("one row is open, the first at the start, and its buttons say which they are", () => {
  model.set("content", SEGMENTS);
  assert.deepEqual(opened(), [0]);
  el.querySelectorAll("tbody tr")[1].click();
  assert.deepEqual(opened(), [1]);
  assert.deepEqual(model.sent, []); // it opens in the page alone
  const row = el.querySelectorAll("tbody tr")[1];
  assert.equal(row.querySelector("p").textContent, "12 of these are there");
  assert.equal(row.querySelector("b").textContent, "12 of these");
  row.querySelectorAll("button")[1].click();
  assert.deepEqual(model.sent, [{ action: [1, 1] }]);
  assert.deepEqual(opened(), [1]);
  model.set("content", { ...SEGMENTS, rows: [...SEGMENTS.rows].reverse(), opened: [...SEGMENTS.opened].reverse() });
  assert.deepEqual([opened(), row.getAttribute("aria-expanded")], [[1], "true"]); // it is known by its name
});

test("keys open a row, and leave its buttons alone", () => {
  model.set("content", SEGMENTS);
  const rows = el.querySelectorAll("tbody tr");
  rows[0].focus();
  press(rows[0], "ArrowDown");
  assert.equal(document.activeElement, rows[1]);
  press(rows[1], "Enter");
  assert.deepEqual(opened(), [1]);
  const event = new window.KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true });
  rows[1].querySelector("button").dispatchEvent(event);
  assert.equal(event.defaultPrevented, false); // so that the browser presses it
});

test("a search leaves the rows that hold it, and Enter opens the first of them", () => {
  model.set("content", SEGMENTS);
  const search = el.querySelector("input");
  assert.deepEqual(shown(), ["Zurich site", "Bern site"]); // as many as are shown at once
  search.value = "AGE";
  search.dispatchEvent(new window.Event("input"));
  assert.deepEqual(shown(), ["young age"]);
  press(search, "Enter");
  assert.deepEqual(opened(), [2]);
  assert.equal(document.activeElement, el.querySelectorAll("tbody tr")[2]);
  press(search, "Escape");
  assert.deepEqual(shown(), ["Zurich site", "Bern site"]);
  const more = el.querySelector("button.more");
  assert.equal(more.textContent, "Show all 3");
  more.click();
  assert.equal(shown().length, 3);
  search.value = "nobody";
  search.dispatchEvent(new window.Event("input"));
  assert.deepEqual([shown(), more.hidden], [[], false]);
  more.click();
  assert.equal(shown().length, 3);
});

test("strips share the axis of their column", () => {
  model.set("content", SEGMENTS);
  assert.deepEqual([...el.querySelectorAll("thead .scale span")].map(({ textContent }) => textContent), ["0", "+10"]);
  const [line] = el.querySelectorAll("tbody svg .outer");
  assert.deepEqual([line.getAttribute("x1"), line.getAttribute("x2")], ["30.00%", "90.00%"]);
  assert.equal(el.querySelectorAll("tbody svg .tick").length, 6);
  assert.equal(el.querySelector("tbody svg svg").getAttribute("x"), "60.00%"); // the diamond
});

test("None that a Python in a browser sends as undefined looks as null does", () => {
  const without = (value) =>
    value == null ? undefined
    : Array.isArray(value) ? value.map(without)
    : typeof value === "object" ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, without(one)]))
    : value;
  const html = el.innerHTML;
  model.set("content", { ...structuredClone(CONTENT), rows: [] });
  assert.notEqual(el.innerHTML, html);
  model.set("content", without(CONTENT));
  assert.equal(el.innerHTML, html);
});
