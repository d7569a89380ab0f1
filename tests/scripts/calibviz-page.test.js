import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Script } from "node:vm";
import { JSDOM } from "jsdom";
import { read } from "./page.js";

let window, asked, line, run;

beforeEach(() => {
  const page = new JSDOM('<div id="loading"></div><div id="rendered_cells" style="display: none"></div>', {
    url: "http://localhost/voila/?token=secret", runScripts: "outside-only",
  });
  ({ window } = page);
  run = (text) => new Script(text).runInContext(page.getInternalVMContext()); // scripts know each other's names
  asked = [];
  Object.assign(window, {
    WebSocket: class extends window.EventTarget {
      static OPEN = 1;

      readyState = 1;

      sent = [];

      send(text) {
        this.sent.push(text);
      }
    },
    Request: class {},
    fetch: (...request) => {
      asked.push(request);
      return Promise.reject(Object.assign(new Error("refused"), { name: "TypeError" }));
    },
  });
  run(read("calibviz-page"));
  line = window[window.Symbol.for("calibviz.line")];
});

test("the cells are shown once the theme and the cells are there", () => {
  const cells = window.document.getElementById("rendered_cells");
  window.display_cells();
  assert.equal(cells.style.display, "none");
  window.themeLoaded = true;
  window.voila_finish();
  assert.equal(cells.style.display, "");
  assert.equal(window.document.getElementById("loading"), null);
});

test("a request that is refused is the last one, whoever makes it", async () => {
  await run("fetch('/api').catch(() => {})"); // of another script in the page
  assert.equal(asked.length, 1);
  assert.ok(line.isCut);
  assert.equal(window.location.href, "http://localhost/");
  const [rule] = window.document.querySelectorAll("meta");
  assert.match(rule.content, /^default-src 'none'/);
});

test("a request to elsewhere that is refused tells nothing", async () => {
  await window.fetch("http://elsewhere.example/").catch(() => {});
  assert.ok(!line.isCut);
});

test("the websocket asks for the pulse, and its end is final", async () => {
  const socket = new window.WebSocket("ws://localhost/");
  const pulse = line.ask(1000);
  assert.deepEqual(socket.sent, ["pulse"]);
  let heard = 0;
  socket.addEventListener("message", () => heard++);
  socket.dispatchEvent(Object.assign(new window.Event("message"), { data: "awake" }));
  assert.equal(await pulse, "awake");
  socket.dispatchEvent(Object.assign(new window.Event("message"), { data: new ArrayBuffer(1) }));
  assert.equal(heard, 1); // the kernel's messages are binary; texts are the server's own
  socket.dispatchEvent(new window.Event("close"));
  assert.equal(await line.ask(1000), "ended");
});

test("a server that does not answer in time is silent", async () => {
  new window.WebSocket("ws://localhost/");
  assert.equal(await line.ask(5), "silent");
});
