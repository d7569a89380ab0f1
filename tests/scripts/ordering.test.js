import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { load, Model, openPage } from "./page.js";

let model, el;

beforeEach(async () => {
  el = openPage("<div></div>").querySelector("div");
  const { default: script } = await load("Ordering");
  model = new Model({ description: "classes", names: ["low", "mid", "high"], value: [], disabled: false });
  script.render({ model, el });
});

const names = () => [...el.querySelectorAll("li input")].map((input) => input.value);
const button = (label) => el.querySelector(`button[aria-label="${label}"]`);

function type(input, text) {
  input.value = text;
  input.dispatchEvent(new window.Event("change"));
}

test("nothing is chosen before something is moved", () => {
  assert.deepEqual(names(), ["low", "mid", "high"]);
  assert.equal(model.saved, undefined);
  assert.ok(el.querySelector(".usual").hidden);
});

test("a name is moved by its buttons, and keeps the focus", () => {
  button("move high up").click();
  assert.deepEqual(model.saved.value, ["low", "high", "mid"]);
  assert.equal(document.activeElement, button("move high up"));
  button("move high up").click();
  assert.deepEqual(names(), ["high", "low", "mid"]);
  assert.ok(button("move high up").disabled); // which cannot have it
  assert.equal(document.activeElement, button("move high down"));
});

test("the arrow keys move a name with Alt, and do nothing at an end", () => {
  const press = (i, key) => {
    const event = new window.KeyboardEvent("keydown", { key, altKey: true, bubbles: true, cancelable: true });
    el.querySelectorAll("li input")[i].dispatchEvent(event);
  };
  press(0, "ArrowDown");
  assert.deepEqual(names(), ["mid", "low", "high"]);
  assert.equal(document.activeElement, el.querySelectorAll("li input")[1]);
  press(2, "ArrowDown");
  assert.deepEqual(names(), ["mid", "low", "high"]);
});

test("names are written anew, added, removed, and none is there twice", () => {
  type(el.querySelector("li input"), " none ");
  assert.deepEqual(model.saved.value, ["none", "mid", "high"]);
  type(el.querySelector("input[placeholder]"), "top, mid,");
  assert.deepEqual(model.saved.value, ["none", "mid", "high", "top"]);
  button("remove mid").click();
  assert.deepEqual(names(), ["none", "high", "top"]);
  el.querySelector(".usual").click();
  assert.deepEqual(model.saved.value, []);
  assert.deepEqual(names(), ["low", "mid", "high"]);
});
