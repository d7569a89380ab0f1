import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { load, Model, openPage } from "./page.js";

let model, el;

async function draw(state) {
  el = openPage("<div></div>").querySelector("div");
  const { default: script } = await load("NumberGrid");
  model = new Model({
    description: 'costs <span class="calibviz-term">C</span>', rows: ["cat", "dog"], columns: ["keep", "drop"],
    value: [[0, 1.23456789], [2, 3]], least: 0, is_symmetric: false, disabled: false, ...state,
  });
  script.render({ model, el });
}

const inputs = () => [...el.querySelectorAll("table input")];

function type(input, text) {
  input.value = text;
  input.dispatchEvent(new window.Event("change"));
}

beforeEach(() => draw({}));

test("a number that is typed changes its own cell and keeps all digits of the others", () => {
  assert.deepEqual(inputs().map((input) => input.value), ["0", "1.235", "2", "3"]);
  type(inputs()[2], "2.5");
  assert.deepEqual(model.saved.value, [[0, 1.23456789], [2.5, 3]]);
  assert.deepEqual(model.sent, []);
});

test("in a symmetric matrix both sides of the diagonal change", async () => {
  await draw({ is_symmetric: true, value: [[1, 0], [0, 1]] });
  type(inputs()[1], "-0.5");
  assert.deepEqual(model.saved.value, [[1, -0.5], [-0.5, 1]]);
  assert.deepEqual(inputs().map((input) => input.value), ["1", "-0.5", "-0.5", "1"]);
});

test("what is no number is refused, and the number stands there again", () => {
  type(inputs()[3], "");
  assert.deepEqual(model.sent, [{ refused: [1, 1] }]);
  assert.equal(inputs()[3].value, "3");
  assert.equal(model.saved, undefined);
});

test("cells are named by row and column", () => {
  assert.equal(inputs()[1].getAttribute("aria-label"), "costs, C: cat, drop");
  assert.equal(inputs()[0].min, "0");
});

test("without an effect it is one line that sums up the numbers", () => {
  model.set("disabled", true);
  const [sum] = el.querySelectorAll(":scope > input");
  assert.equal(sum.value, "0, 1.235, 2, 3");
  assert.ok(el.querySelector("table").hidden && !sum.hidden);
  model.set("value", [[1, 1], [1, 1]]);
  assert.equal(sum.value, "all 1");
});

test("the table is made anew for other names alone", () => {
  const [first] = inputs();
  model.set("value", [[9, 9], [9, 9]]);
  assert.equal(inputs()[0], first);
  model.set("rows", ["cat", "eel"]);
  assert.notEqual(inputs()[0], first);
});
