import assert from "node:assert/strict";
import { test } from "node:test";
import { Script } from "node:vm";
import { gzipSync } from "node:zlib";
import { JSDOM } from "jsdom";
import { read, until } from "./page.js";

const RECORDED = {
  moves: [
    { word: "segment", start: 0, crossed: true, texts: ["all", "west"] },
    { word: "recalibration", start: 0, crossed: true, texts: ["none", "spline"] },
    { word: "act from", start: 1, crossed: false, texts: ["5 %", "50 %", "95 %"] },
  ],
  names: ["verdict", "decision"],
  states: {
    "0,0,1": [0, 1], "1,0,1": [2, 3], "0,1,1": [4, 1], "0,0,0": [0, 5], "0,0,2": [0, 6], // of 1,1,1 nobody is left
  },
  parts: ["All.", "At 50.", "West.", "West at 50.", "All, spline.", "At 5.", "At 95."],
};
const PAGE = `<fieldset class="moves" hidden>
    <div><select data-move="0"><option value="0"><option value="1"></select></div>
    <div><select data-move="1"><option value="0"><option value="1"></select></div>
    <div><output>50 %</output><input type="range" min="0" max="2" value="1" data-move="2"></div>
    <p role="status"></p>
  </fieldset>
  <div id="part-verdict">All.</div><div id="part-decision">At 50.</div>`;

function open(able = true) {
  const packed = gzipSync(JSON.stringify(RECORDED)).toString("base64");
  const page = new JSDOM(`<body>${PAGE}<script type="text/plain" id="recorded">${packed}</script>`, {
    runScripts: "outside-only",
  });
  const { window } = page;
  const { Blob, Response } = globalThis;
  Object.assign(window, { ResizeObserver: class { observe() {} }, Blob, Response });
  if (able) window.DecompressionStream = globalThis.DecompressionStream;
  new Script(read("report")).runInContext(page.getInternalVMContext());
  return window.document;
}

async function opened() {
  const document = open();
  await until(() => !document.querySelector("fieldset").hidden);
  return document;
}

function move(document, place, position) {
  const control = document.querySelector(`[data-move="${place}"]`);
  control.value = String(position);
  control.dispatchEvent(new document.defaultView.Event("input", { bubbles: true }));
}

const shown = (document) => ["verdict", "decision"].map((name) => document.getElementById(`part-${name}`).textContent);
const values = (document) => [...document.querySelectorAll("[data-move]")].map((control) => Number(control.value));

test("controls that are crossed move together", async () => {
  const document = await opened();
  move(document, 0, 1);
  assert.deepEqual(shown(document), ["West.", "West at 50."]);
  move(document, 0, 0);
  move(document, 1, 1);
  assert.deepEqual(shown(document), ["All, spline.", "At 50."]);
  assert.equal(document.querySelector("[role=status]").textContent, "");
});

test("a part that does not change stays the same element", async () => {
  const document = await opened();
  const part = document.getElementById("part-decision").firstChild;
  move(document, 1, 1);
  assert.equal(document.getElementById("part-decision").firstChild, part);
});

test("what moves by itself takes the others back to the start, and says so", async () => {
  const document = await opened();
  move(document, 1, 1);
  move(document, 2, 2);
  assert.deepEqual(shown(document), ["All.", "At 95."]);
  assert.deepEqual(values(document), [0, 0, 2]);
  assert.match(document.querySelector("[role=status]").textContent, /back at the start are recalibration\.$/);
  assert.equal(document.querySelector("output").textContent, "95 %");
  assert.equal(document.querySelector("[type=range]").getAttribute("aria-valuetext"), "95 %");
  move(document, 0, 1); // and back
  assert.deepEqual(values(document), [1, 0, 1]);
  assert.match(document.querySelector("[role=status]").textContent, /act from/);
});

test("a state without samples changes nothing but the sentence", async () => {
  const document = await opened();
  move(document, 0, 1);
  move(document, 1, 1);
  assert.deepEqual(shown(document), ["West.", "West at 50."]);
  assert.deepEqual(values(document), [1, 0, 1]);
  assert.match(document.querySelector("[role=status]").textContent, /Nothing is left/);
});

test("a browser that cannot unpack shows no controls", () => {
  assert.ok(open(false).querySelector("fieldset").hidden);
});
