import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { openPage, read } from "./page.js";

const CONTROLS = {
  slider: { kind: "slider", low: 0, high: 50, step: 1, unit: " %" },
  choice: { kind: "choice", options: ["too low", "too high"] },
};
let page;

/** A page with a question and its answer, as a notebook has them, and the script run for each. */
function open(kind) {
  const control = JSON.stringify(CONTROLS[kind]).replaceAll('"', "&quot;");
  page = openPage(
    `<div class="calibviz-guess" data-question="77.1" data-control="${control}"><p>Half of a half?</p></div>` +
    '<div class="calibviz-answer-of-guess" data-question="77.1"><details><summary>Answer</summary><p>25 %</p></details></div>');
  run();
}

const run = () => window.eval(read("guess"));
const find = (selector) => page.querySelector(selector);
const status = (of) => find(`.calibviz-${of} [role=status]`).textContent;

beforeEach(() => open("slider"));

test("an answer stays folded until a guess is made", () => {
  find("summary").click();
  assert.ok(!find("details").open);
  assert.match(status("answer-of-guess"), /^Guess 77.1 first, above/);
  const input = find("input");
  assert.ok(find("button[type=submit]").disabled); // nothing was chosen yet
  input.value = "30";
  input.dispatchEvent(new window.Event("input"));
  assert.equal(find("output").textContent, "30 %");
  assert.equal(input.getAttribute("aria-label"), "Half of a half?");
  assert.equal(input.getAttribute("aria-valuetext"), "30 %");
  find("button[type=submit]").click();
  assert.match(status("guess"), /^Your guess: 30 %/);
  find("summary").click();
  assert.ok(find("details").open);
  assert.equal(status("answer-of-guess"), "Your guess: 30 %.");
});

test("the lowest value can be guessed: a click or a key on the handle is enough", () => {
  for (const event of ["click", "keyup"]) {
    open("slider");
    find("input").dispatchEvent(new window.Event(event));
    find("button[type=submit]").click();
    assert.match(status("guess"), /^Your guess: 0 %/);
  }
});

test("JupyterLab leaves the keys to what has the focus", () => {
  for (const kind of ["slider", "choice"]) {
    open(kind);
    for (const control of page.querySelectorAll("input, button, summary")) {
      assert.equal(control.getAttribute("data-lm-suppress-shortcuts"), "true");
    }
  }
});

test("who has no guess can see the answer all the same", () => {
  find("summary").click();
  find(".calibviz-answer-of-guess button").click();
  assert.ok(find("details").open);
  assert.equal(status("answer-of-guess"), "");
});

test("one of a few texts is chosen", () => {
  open("choice");
  const [, second] = page.querySelectorAll("input[type=radio]");
  second.click();
  find("button[type=submit]").click();
  assert.match(status("guess"), /^Your guess: too high\./);
});

test("a cell that is shown again keeps the guess, and nothing is there twice", () => {
  find("input").dispatchEvent(new window.Event("input"));
  find("button[type=submit]").click();
  run();
  assert.equal(page.querySelectorAll("form").length, 1);
  const again = find(".calibviz-guess").cloneNode(false);
  delete again.dataset.isReady;
  find(".calibviz-guess").replaceWith(again);
  run();
  assert.match(status("guess"), /^Your guess: 0 %/);
});
