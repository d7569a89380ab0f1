// The browser's half of pulse.py: covers a view whose kernel or server has ended, and says so. It also marks what holds
// a view: what is laid out by a mark costs nothing, a style with :has() is looked at anew with every change in the view.

const BEAT = 1000; // ms between two looks at a server that says nothing by itself
const PATIENCE = 3000; // ms that it may take to answer
const MOMENT = 1000; // ms without a connection that are nothing to speak of
const SILENCE = 5000; // ms that the kernel may take to answer before a note says that it computes
const LONG_SILENCE = 20_000; // ms after which it may never answer
const LOOKS = 3; // at an idle kernel that says nothing, and might be loading something
const PROBE = "kernel_info_request"; // a message that Jupyter counts as nobody's work
const ENDED = ["dead", "terminating", "restarting", "autorestarting"]; // a new kernel knows nothing of our widgets

const HOLDERS = ".jp-Cell, .jp-Cell-outputWrapper, .jp-OutputArea, .jp-OutputArea-child, .jp-OutputArea-output, .widget-box";
const VIEW = ".calibviz-explorer";
const HOLDS = "calibviz-holder";

// The page of our own server has a line to it, which once cut is never taken up again: see calibviz-page.js.
const line = () => globalThis[Symbol.for("calibviz.line")];
const CUT = "calibviz-cut";

const lives = new Map();
const leaving = new WeakMap(); // what watches for the view in a holder to leave

export default heard({
  initialize({ model }) {
    const life = new Life(model);
    lives.set(model.get("me"), life);
    return () => {
      lives.delete(model.get("me"));
      window.removeEventListener(CUT, life.onCut);
      life.leave();
    };
  },

  render({ model, el }) {
    const life = lives.get(model.get("me"));
    const uncover = life.cover(el);
    const hush = sayWhenSilent(life, el);
    const unmark = markHolders(el);
    return () => {
      unmark();
      hush();
      uncover();
    };
  },
});

// What one widget knows of its kernel. Once that has stopped it never comes back: its widgets were in its memory.
class Life {
  why = "";
  views = new Set();

  constructor(model) {
    const manager = model.widget_manager;
    this.me = model.get("me");
    this.model = model;
    this.kernel = manager?.kernel;
    this.host = this.kernel === undefined ? "page" : "voila" in document.body.dataset ? "voila" : "notebook";
    this.leave = () => {};
    if (this.kernel) this.leave = beatOf(this.kernel).join((why, comms) => this.hear(why, comms));
    this.onCut = () => this.hear("ended");
    window.addEventListener(CUT, this.onCut);
    // A widget that was saved with its page or notebook has never had a kernel here.
    manager?.get_model?.(this.me).then((whole) => whole.comm_live === false && this.hear("stopped"));
  }

  say(why) {
    return this.model.get("sentences")[this.host][why];
  }

  hear(why, comms) {
    if (line()?.isCut) why = "ended";
    else if (this.why === "stopped") return;
    this.why = comms && !(this.me in comms) ? "stopped" : why;
    if (this.why === "stopped") this.leave();
    for (const view of this.views) view();
  }

  cover(el) {
    let veil;
    const look = () => {
      const root = el.isConnected && rootOf(el);
      if (root && this.why) {
        veil ??= new Veil(root);
        veil.say(this.say(this.why));
      } else {
        veil?.lift();
        veil = undefined;
      }
    };
    this.views.add(look);
    const attached = setTimeout(look, 100); // what is drawn now is not part of the page yet
    return () => {
      clearTimeout(attached);
      this.views.delete(look);
      veil?.lift();
    };
  }
}

// Marks all that stands around the view of an element, as long as there is a view in it.
function markHolders(el) {
  const holders = [];
  const attached = setTimeout(() => { // what is drawn now is not part of the page yet
    for (let node = el.closest(VIEW); (node = node?.parentElement); ) if (node.matches(HOLDERS)) holders.push(node);
    for (const holder of holders) {
      leaving.get(holder)?.disconnect();
      holder.classList.add(HOLDS);
    }
  });
  return () => {
    clearTimeout(attached);
    holders.forEach(unmarkOnceEmpty);
  };
}

// Widgets that are closed leave one by one, each when its message comes: a view may stay for longer than this widget.
function unmarkOnceEmpty(holder) {
  const look = () => {
    if (holder.querySelector(VIEW)) return;
    holder.classList.remove(HOLDS);
    watch.disconnect();
  };
  const watch = new MutationObserver(look);
  watch.observe(holder, { childList: true, subtree: true });
  leaving.set(holder, watch);
  look();
}

// The outermost view around an element; none where another widget watches over that.
function rootOf(el) {
  const own = el.closest(".calibviz-explorer, .calibviz-page");
  return own?.parentElement.closest(".calibviz-page") ? null : own;
}

class Veil {
  constructor(root) {
    const focused = /** @type {HTMLElement | null} */ (document.activeElement);
    this.focused = root.contains(focused) ? focused : null;
    this.covered = [...root.children].filter((child) => !child.inert);
    this.veil = document.createElement("div");
    this.veil.className = "calibviz-veil";
    this.said = document.createElement("div");
    this.said.setAttribute("role", "alert");
    this.said.tabIndex = -1;
    this.veil.append(this.said);
    for (const child of this.covered) child.inert = true;
    root.append(this.veil);
  }

  say(sentence) {
    if (this.sentence === sentence) return;
    this.sentence = sentence;
    this.said.replaceChildren(...sentence.split("`").map((text, i) => (i % 2 ? code(text) : text)));
    if (this.focused) this.said.focus({ preventScroll: true });
  }

  lift() {
    const back = this.veil.contains(document.activeElement) ? this.focused : null;
    for (const child of this.covered) child.inert = false;
    this.veil.remove();
    back?.focus({ preventScroll: true });
  }
}

function code(text) {
  return Object.assign(document.createElement("code"), { textContent: text });
}

// One for each kernel on the page, however many widgets it has: two looks where one will do are one too many.
function beatOf(kernel) {
  const beats = (globalThis[Symbol.for("calibviz.beats")] ??= new WeakMap());
  if (!beats.has(kernel)) beats.set(kernel, new Beat(kernel));
  return beats.get(kernel);
}

// Looks whether a kernel and its server are there; tells when that changes, and why.
class Beat {
  hearers = new Set();
  works = new Set(); // what the kernel has begun and not ended
  turn = 0;
  mayProbe = false; // whether to ask the kernel itself, in a page without a line

  constructor(kernel) {
    this.kernel = kernel;
    this.look = () => this.lookNow().catch(console.error);
    this.wake = () => {
      if (this.why !== "unheard") this.unheard = 0; // or several events at once would be several looks
      this.look();
    };
    this.onStatus = (_, status) => ENDED.includes(status) && this.tell("stopped");
    this.onConnection = () => {
      this.works.clear(); // what ends them may be lost
      this.unheard = 0;
      this.doubted = true;
      this.look();
    };
    this.onDisposed = () => this.tell("stopped");
    this.onMessage = (_, { msg, direction }) => {
      if (direction !== "recv") return;
      this.heardAt = performance.now();
      this.unheard = 0;
      const { msg_id: id, msg_type: asked } = msg.parent_header;
      if (asked === PROBE) this.answers = msg.channel === "control" || this.answers;
      else if (msg.content.execution_state === "busy") this.works.add(id);
      else if (msg.content.execution_state === "idle") this.works.delete(id);
    };
  }

  join(hear) {
    this.hearers.add(hear);
    if (this.hearers.size === 1) this.start();
    return () => {
      if (this.hearers.delete(hear) && !this.hearers.size) this.stop();
    };
  }

  start() {
    Object.assign(this, { why: "", doubted: false, cutSince: undefined, asks: undefined, heardAt: -Infinity });
    Object.assign(this, { mayProbe: canProbe(), answers: undefined, unheard: 0 });
    this.works.clear();
    for (const [signal, slot] of this.wires()) signal?.connect(slot);
    for (const [target, name] of WAKING) target.addEventListener(name, this.wake);
    this.look();
  }

  stop() {
    this.turn++; // what is under way is of no interest any more
    clearTimeout(this.timer);
    for (const [signal, slot] of this.wires()) signal?.disconnect(slot);
    for (const [target, name] of WAKING) target.removeEventListener(name, this.wake);
  }

  wires() {
    const { statusChanged, connectionStatusChanged, disposed, anyMessage } = this.kernel;
    return [
      [statusChanged, this.onStatus],
      [connectionStatusChanged, this.onConnection],
      [disposed, this.onDisposed],
      [anyMessage, this.onMessage],
    ];
  }

  tell(why, comms) {
    this.why = why;
    for (const hear of [...this.hearers]) hear(why, comms);
  }

  async lookNow() {
    clearTimeout(this.timer);
    const turn = ++this.turn;
    if (document.hidden && !line()?.isCut) return; // coming back wakes us
    const why = await this.judge();
    if (turn !== this.turn) return;
    if (line()?.isCut) {
      this.tell(why);
      this.stop();
      this.kernel.dispose(); // or it would try to connect again
    } else if (why) {
      this.doubted = true;
      this.tell(why);
    } else if (this.doubted && this.cutSince === undefined) {
      await this.recognise(turn);
    }
    if (turn === this.turn) this.timer = setTimeout(this.look, BEAT);
  }

  async judge() {
    if (line()?.isCut) return "ended";
    if (this.kernel.isDisposed || this.kernel.status === "dead") return "stopped";
    const answer = await (line() ? this.askByLine() : this.ask());
    if (answer) return answer;
    if (this.kernel.connectionStatus === "connected") this.cutSince = undefined;
    else this.cutSince ??= performance.now();
    // To connect takes a moment, after which all may be well.
    if (performance.now() - this.cutSince > MOMENT) return "cut";
    return this.isMute() ? "unheard" : "";
  }

  // Whether a kernel that is idle lets a question go unanswered, on the channel for which it has a thread of its own. One
  // that has never answered there is not asked again. (A busy one may keep all its threads waiting, and has said so.)
  isMute() {
    const { kernel } = this;
    if (!this.mayProbe || kernel.status !== "idle" || this.works.size || this.cutSince !== undefined) {
      this.unheard = 0;
      return false;
    }
    if (!this.unheard++ && this.answers !== false) {
      this.answers ??= false;
      const { clientId: session, username } = kernel;
      const id = `calibviz-${performance.now()}-${Math.random()}`;
      const header = { msg_id: id, msg_type: PROBE, session, username, date: new Date().toISOString(), version: "5.3" };
      const message = { header, parent_header: {}, metadata: {}, content: {}, buffers: [], channel: "control" };
      kernel.sendControlMessage(message, true, true).done.catch(() => {}); // where the kernel is replaced
    }
    return this.answers && this.unheard > LOOKS;
  }

  async askByLine() {
    const askedAt = performance.now();
    const answer = await line().ask(PATIENCE);
    return answer === "awake" || (answer === "silent" && this.heardAt > askedAt) ? "" : answer;
  }

  // A server that has never answered as Jupyter's do is not asked again: then the connection alone tells.
  async ask() {
    if (this.asks === false) return "";
    const settings = this.kernel.serverSettings;
    const { fetch: send, init, token } = settings;
    const giveUp = new AbortController();
    const timer = setTimeout(() => giveUp.abort(), PATIENCE);
    const askedAt = performance.now();
    try {
      // Without counting as somebody's work, which would keep an unused server from being ended.
      const base = new URL(settings.baseUrl, document.baseURI);
      const url = new URL(`api/kernels/${this.kernel.id}?no_track_activity=1`, base);
      const headers = token ? { ...init.headers, Authorization: `token ${token}` } : { ...init.headers };
      const answer = await send(url.href, { ...init, headers, cache: "no-store", signal: giveUp.signal });
      if (this.asks && answer.status === 404) return "stopped";
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      const { execution_state: state } = await answer.json();
      this.asks = true;
      return state === "dead" ? "stopped" : "";
    } catch {
      this.asks ??= false;
      if (!this.asks || this.heardAt > askedAt) return "";
      return giveUp.signal.aborted || !isHere() ? "silent" : "ended";
    } finally {
      clearTimeout(timer);
    }
  }

  // After a pause it may be another kernel of the same name. One that is busy tells later.
  async recognise(turn) {
    const told = this.kernel
      .requestCommInfo({ target_name: "jupyter.widget" })
      .then(({ content }) => this.tell(this.why, content.comms))
      .catch(() => {});
    await Promise.race([told, new Promise((done) => setTimeout(done, 1000))]);
    if (turn !== this.turn) return;
    this.doubted = false;
    this.tell("");
  }
}

// When it is worth to look again at once.
/** @type {[EventTarget, string][]} */
const WAKING = [
  [window, "online"],
  [window, "offline"],
  [window, CUT],
  [window, "pageshow"],
  [document, "visibilitychange"],
  [document, "resume"],
];

// Whether a probe goes unnoticed: an older JupyterLab shows, and counts, whatever makes a kernel say that it is busy. Our
// own server tells by its line.
function canProbe() {
  if (line()) return false;
  const config = JSON.parse(document.getElementById("jupyter-config-data")?.textContent || "{}");
  return "voila" in document.body.dataset || String(config.untracked_message_types).includes(PROBE);
}

// A server on this machine that refuses to talk has ended; one elsewhere may only be out of reach.
function isHere() {
  return navigator.onLine && /^(localhost|127\..*|\[::1\])$/.test(location.hostname);
}

// A kernel that computes answers nobody. It has not stopped, but what is shown is not yet what was chosen.
function sayWhenSilent(life, el) {
  const { kernel } = life;
  const said = document.createElement("div");
  said.className = "calibviz-waiting";
  said.setAttribute("role", "status");
  const unanswered = new Set();
  let timer;
  const show = (why = "computing") => {
    said.textContent = life.say(kernel.status === "busy" ? "busy" : why);
    if (why !== "mute") timer = setTimeout(show, LONG_SILENCE - SILENCE, "mute");
    const top = el.closest(".calibviz-explorer")?.querySelector(".calibviz-top");
    top?.append(said);
    top?.classList.add("is-waiting");
  };
  const hush = () => {
    clearTimeout(timer);
    timer = undefined;
    said.parentElement?.classList.remove("is-waiting");
    said.remove();
  };
  const follow = (_, { msg, direction }) => {
    if (direction === "send" && msg.header.msg_type === "comm_msg") unanswered.add(msg.header.msg_id);
    else if (msg.content.execution_state === "idle") unanswered.delete(msg.parent_header.msg_id);
    if (unanswered.size) timer ??= setTimeout(show, SILENCE);
    else hush();
  };
  // Answers may be lost with the connection.
  const forget = () => {
    unanswered.clear();
    hush();
  };
  kernel?.anyMessage?.connect(follow);
  kernel?.connectionStatusChanged?.connect(forget);
  return () => {
    hush();
    kernel?.anyMessage?.disconnect(follow);
    kernel?.connectionStatusChanged?.disconnect(forget);
  };
}
