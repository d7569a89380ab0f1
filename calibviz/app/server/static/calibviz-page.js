// What Voila writes into its page as script, and the page's last word.

// Voila's script calls this once it has the theme, and this one once the page has its cells. The later call shows them.
/** @type {Window & Record<string, any>} */
const page = window;
page.voila_finish = page.display_cells = () => {
  if (!page.themeLoaded) {
    page.cellLoaded = true;
    return;
  }
  document.getElementById("loading")?.remove();
  document.getElementById("rendered_cells").style.display = "";
};
document.addEventListener("DOMContentLoaded", () => {
  if (document.body.dataset.followsSystem) followSystem(window.matchMedia("(prefers-color-scheme: dark)"));
  page.display_cells();
});

// The style sheet follows by itself; what looks at the names of the theme is notified. Paper is light.
function followSystem(dark) {
  const tell = (isDark) => {
    const { dataset, classList } = document.body;
    dataset.jpThemeLight = String(!isDark);
    dataset.jpThemeName = `JupyterLab ${isDark ? "Dark" : "Light"}`;
    classList.toggle("theme-dark", isDark);
    classList.toggle("theme-light", !isDark);
  };
  const print = (isPrinted) => {
    for (const sheet of document.querySelectorAll("link[media*=scheme]")) {
      sheet.setAttribute("media", isPrinted ? "(prefers-color-scheme: dark) and (width < 0)" : "(prefers-color-scheme: dark)");
    }
    tell(dark.matches && !isPrinted);
  };
  dark.addEventListener("change", () => tell(dark.matches));
  window.addEventListener("beforeprint", () => print(true));
  window.addEventListener("afterprint", () => print(false));
  tell(dark.matches);
}

// Pictures do not follow a page that is laid out for paper: it is printed as in its window, as small as the paper is.
const PAPER = 1040; // px of A4 on its long side, without its margins
const WIDEST = 1520; // px of the page, beyond which it is empty
const OF_PRINT = ["--window", "--window-width", "--smaller"];
window.addEventListener("beforeprint", () => {
  const [height, width] = [window.innerHeight, Math.min(window.innerWidth, WIDEST)];
  const values = [`${height}px`, `${width}px`, String(Math.min(1, PAPER / width))];
  OF_PRINT.forEach((name, i) => document.documentElement.style.setProperty(name, values[i]));
});
window.addEventListener("afterprint", () => {
  for (const name of OF_PRINT) document.documentElement.style.removeProperty(name);
});

// The line to the server is the page's one websocket. Nobody can take that over; but once it has closed, whoever listens
// at this port may be somebody else, to whom the browser would give the cookie. So that is final: the browser is
// forbidden to ask for anything more, whatever of the page may want to, and to run any script that came since. A reload
// by the user goes to an address to which the cookie does not belong, and which tells nothing.
const NOTHING_MORE = "default-src 'none'; style-src 'unsafe-inline'; img-src data: blob:; font-src data:";

// `pulse.js` asks here, and not the server's addresses, whether the kernel is awake.
let isLeaving = false;
let isAway = false;

const line = (window[Symbol.for("calibviz.line")] = {
  isCut: false,
  socket: null,
  waiting: [],

  // "awake", "frozen", or "stopped" of the kernel; "silent" of a server that does not answer in time.
  ask(patience) {
    if (this.isCut) return "ended";
    if (this.socket?.readyState !== WebSocket.OPEN) return "awake"; // it is being opened
    this.socket.send("pulse");
    return new Promise((done) => {
      this.waiting.push(done);
      setTimeout(() => done("silent"), patience);
    });
  },

  answer(said) {
    for (const done of this.waiting.splice(0)) done(said);
  },

  cut() {
    if (this.isCut || isAway) return;
    this.isCut = true;
    if (isLeaving) sayGoodbye(); // some browsers close the websocket of a page that is only being left
    else history.replaceState(null, "", "/");
    const rule = { httpEquiv: "Content-Security-Policy", content: NOTHING_MORE };
    document.head.append(Object.assign(document.createElement("meta"), rule));
    this.answer("ended");
    window.dispatchEvent(new Event("calibviz-cut"));
  },
});

window.WebSocket = class extends WebSocket {
  constructor(/** @type {ConstructorParameters<typeof WebSocket>} */ ...options) {
    super(...options);
    line.socket = this;
    this.addEventListener("close", () => line.cut());
    // The kernel's messages are binary; texts are the server's own.
    this.addEventListener("message", (event) => {
      if (typeof event.data !== "string") return;
      event.stopImmediatePropagation();
      line.answer(event.data);
    });
  }

  // JupyterLab hangs up where a kernel is dead. The line stays, for else nobody would know when the server has ended.
  close() {}
};

// Before there is a websocket, a request that comes to nothing tells.
const send = window.fetch;
window.fetch = (...request) => {
  const sent = send(...request);
  const [asked] = request;
  const url = new URL(asked instanceof Request ? asked.url : asked, document.baseURI);
  if (url.origin === window.location.origin) sent.catch(({ name }) => name === "TypeError" && line.cut());
  return sent;
};

// A page that is left ends its kernel. (Voila says so too, but not before all its script has run.)
window.addEventListener("beforeunload", () => {
  isLeaving = true;
  setTimeout(() => {
    isLeaving = false; // it was not left after all
  }, 1000);
});
window.addEventListener("pagehide", () => {
  isAway = true;
  if (!line.isCut) sayGoodbye();
});

function sayGoodbye() {
  const { kernelId, baseUrl } = JSON.parse(document.getElementById("jupyter-config-data")?.textContent ?? "{}");
  if (kernelId) navigator.sendBeacon(`${baseUrl}voila/api/shutdown/${kernelId}`);
}

// Where a browser keeps a page that was left, and shows it again, its kernel is gone.
window.addEventListener("pageshow", ({ persisted }) => {
  if (persisted && !line.isCut) window.location.reload();
});
