import assert from "node:assert/strict";
import { test } from "node:test";
import { load, Model, openPage, until } from "./page.js";

async function opened() {
  openPage();
  document.body.dataset.voila = "voila";
  const model = new Model({ address: "?bins=7", me: "download", _anywidget_id: "download" });
  const { default: widget } = await load("Download");
  const close = await widget.initialize({ model });
  return { model, close };
}

const soon = () => new Promise((done) => setTimeout(done, 400)); // the address follows after a pause

test("the address of a page follows the choices", async () => {
  const { model, close } = await opened();
  await until(() => window.location.search === "?bins=7");
  model.set("address", "?bins=8");
  await until(() => window.location.search === "?bins=8");
  close?.();
});

test("a page whose server has ended keeps the address that it has then", async () => {
  const { model, close } = await opened();
  window.dispatchEvent(new window.Event("calibviz-cut")); // while the first choice is waiting
  await soon();
  assert.equal(window.location.search, "");
  model.set("address", "?bins=9");
  await soon();
  assert.equal(window.location.search, "");
  close?.();
});
