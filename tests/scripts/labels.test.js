import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { load, Model, openPage, until } from "./page.js";

let page, model, views;

const WORDS = '<div class="name">↑ Observed</div><div class="left" style="left:calc(40px + 10%)"><b>a</b></div>';

beforeEach(async () => {
  page = openPage('<div class="figure"></div><div class="figure"></div>');
  views = [...page.querySelectorAll(".figure")].map((el) => ({ el }));
  const figure = { views: Object.fromEntries(views.map((view, i) => [i, Promise.resolve(view)])) };
  const manager = { has_model: (id) => id === "f", get_model: async () => figure };
  model = new Model({ alt: {}, hints: {}, labels: {}, scores: {}, handles: {}, dots: {}, me: "t" }, manager);
  (await load("Transport")).default.initialize({ model });
});

const layers = () => [...page.querySelectorAll(".figure > .calibviz-words-over")];
const show = async (labels) => {
  model.set("labels", labels);
  await new Promise((done) => setTimeout(done, 20));
};

test("words lie over every view of a figure, once, and no screen reader hears them twice", async () => {
  model.set("labels", { f: WORDS, gone: "<div>of a figure that is closed</div>" });
  await until(() => layers().length === 2);
  for (const layer of layers()) {
    assert.equal(layer.innerHTML, WORDS);
    assert.equal(layer.getAttribute("aria-hidden"), "true");
  }
  await show({ f: '<div class="right">b</div>' });
  assert.deepEqual(layers().map((layer) => layer.textContent), ["b", "b"]);
  await show({ f: "" });
  assert.deepEqual(layers().map((layer) => layer.innerHTML), ["", ""]);
});

test("words that stay are not written again", async () => {
  await show({ f: WORDS });
  const [first] = layers();
  const bold = first.querySelector("b");
  await show({ f: WORDS, other: "" });
  assert.equal(first.querySelector("b"), bold);
});
