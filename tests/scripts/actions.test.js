import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { load, Model, openPage } from "./page.js";

const PAGE = `
  <div class="calibviz-explorer">
    <div class="desk calibviz-desk">
      <div class="actions"></div>
      <button class="calibviz-how">How is this measured?</button>
      <div class="calibviz-share"><button class="share">Share</button></div>
      <button class="calibviz-advanced">Advanced</button>
      <div class="calibviz-questions">
        <div class="calibviz-question"><button>1</button></div>
        <div class="calibviz-question"><button>2</button></div>
        <div class="calibviz-question"><button>3</button></div>
        <button class="calibviz-back">✕ close</button>
      </div>
      <div class="calibviz-checklist"><button class="opener"></button><input type="checkbox"></div>
      <div class="calibviz-controls" style="display: none"></div>
      <input type="text"><input type="range"><textarea></textarea><select></select>
    </div>
  </div>
  <button class="outside"></button>`;
let page, model, clicked, leave;

beforeEach(async () => {
  page = openPage(PAGE);
  clicked = [];
  for (const button of page.querySelectorAll(".desk > button, .share, .calibviz-questions button")) {
    button.addEventListener("click", () => clicked.push(button.textContent));
  }
  model = new Model({ content: { steps: ["bins: 15 → 20"], place: 1, atStart: false, kept: [] } });
  leave = (await load("Actions")).default.render({ model, el: page.querySelector(".actions") });
});

const find = (selector) => page.querySelector(selector);
/** Presses a key; whether the page itself still hears of it. */
const key = (name, at = find(".calibviz-how"), more = {}) =>
  at.dispatchEvent(new window.KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true, ...more }));

test("keys press what they are for, and the page does nothing else then", () => {
  for (const name of ["1", "2", "3", "0", "m", "M", "a"]) assert.equal(key(name), false, name);
  const how = "How is this measured?";
  assert.deepEqual(clicked, ["1", "2", "3", "✕ close", how, how, "Advanced"]);
  assert.equal(key("7"), true);
});

test("a slash leads to the search, and opens the answer that has it", async () => {
  const question = find(".calibviz-question button");
  const search = Object.assign(document.createElement("input"), { type: "search", className: "search" });
  search.getClientRects = () => [{}];
  question.addEventListener("click", () => setTimeout(() => find(".desk").append(search), 5));
  assert.equal(key("/"), false);
  assert.deepEqual(clicked, ["1"]);
  for (const letter of "ma") assert.equal(key(letter), false); // typed on, before the search is there
  await new Promise((done) => setTimeout(done, 30));
  assert.equal(document.activeElement, search);
  assert.equal(search.value, "ma");
  assert.deepEqual(clicked, ["1"]);
  find(".calibviz-how").focus();
  assert.equal(key("/"), false);
  assert.equal(document.activeElement, search);
  assert.deepEqual(clicked, ["1"]);
});

test("on a page of our own server keys work before anybody has clicked into the view", () => {
  assert.equal(key("1", document.body), true);
  globalThis[Symbol.for("calibviz.line")] = {};
  assert.equal(key("1", document.body), false);
  assert.deepEqual(clicked, ["1"]);
  delete globalThis[Symbol.for("calibviz.line")];
});

test("keys do nothing in texts and menus, outside, while held down and with Alt", () => {
  for (const at of ["input[type=text]", "textarea", "select", ".outside"]) assert.equal(key("m", find(at)), true, at);
  assert.equal(key("m", undefined, { repeat: true }), true);
  assert.equal(key("m", undefined, { altKey: true }), true);
  assert.deepEqual(clicked, []);
  key("m", find("input[type=range]")); // a slider takes no letters
  assert.equal(clicked.length, 1);
});

test("Escape closes one thing at a time: how it is measured, what is shared, the settings, the answer", () => {
  find(".desk").classList.add("calibviz-asked");
  const open = [find(".calibviz-how"), find(".share"), find(".calibviz-advanced")];
  for (const button of open) {
    button.classList.add("mod-active");
    button.addEventListener("click", () => button.classList.remove("mod-active"));
  }
  for (let i = 0; i < 4; i++) assert.equal(key("Escape"), false);
  assert.deepEqual(clicked, ["How is this measured?", "Share", "Advanced", "✕ close"]);
  find(".desk").classList.remove("calibviz-asked");
  assert.equal(key("Escape"), true);
});

test("the settings open and close with the click, before Python has heard of it", async () => {
  await new Promise((done) => window.requestAnimationFrame(done)); // the view is attached then
  const [button, drawer] = [find(".calibviz-advanced"), find(".calibviz-controls")];
  button.addEventListener("click", () => button.classList.toggle("mod-active"));
  button.click();
  assert.equal(drawer.style.display, "");
  assert.ok(find(".desk").classList.contains("calibviz-open"));
  button.click();
  assert.equal(drawer.style.display, "none");
  assert.ok(!find(".desk").classList.contains("calibviz-open"));
});

test("Escape in a text closes what that stands in, and in a search once nothing is searched for", () => {
  find(".calibviz-advanced").classList.add("mod-active");
  const text = find("input[type=text]");
  text.value = "people";
  assert.equal(key("Escape", text), false);
  text.type = "search";
  assert.equal(key("Escape", text), true);
  text.value = "";
  assert.equal(key("Escape", text), false);
  assert.deepEqual(clicked, ["Advanced", "Advanced"]);
});

test("Escape in an open list is for that list", () => {
  find(".calibviz-how").classList.add("mod-active");
  find(".opener").setAttribute("aria-expanded", "true");
  assert.equal(key("Escape", find("input[type=checkbox]")), true);
  assert.deepEqual(clicked, []);
  find(".opener").setAttribute("aria-expanded", "false");
  assert.equal(key("Escape", find("input[type=checkbox]")), false);
  assert.deepEqual(clicked, ["How is this measured?"]);
});

test("a question mark lists all keys, and Escape puts the list away before it closes anything", () => {
  find(".calibviz-how").classList.add("mod-active");
  key("?");
  const keys = [...page.querySelectorAll(".steps dt")].map((term) => term.textContent);
  for (const name of ["0", "1", "2", "3", "A", "Escape", "?"]) assert.ok(keys.includes(name), name);
  assert.ok(keys.some((name) => name.toLowerCase() === "m"));
  key("Escape");
  assert.equal(find(".steps"), null);
  assert.deepEqual(clicked, []);
});

test("Ctrl+Z steps back, also where nothing has the focus of a text", () => {
  assert.equal(key("z", undefined, { ctrlKey: true }), false);
  key("Z", undefined, { ctrlKey: true, shiftKey: true }); // there is nothing to redo
  assert.deepEqual(model.sent, [{ ask: "undo" }]);
  assert.equal(key("z", find("textarea"), { ctrlKey: true }), true);
});

test("no key is heard once the view is gone", () => {
  leave();
  assert.equal(key("m"), true);
  assert.deepEqual(clicked, []);
});
