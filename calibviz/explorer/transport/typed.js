// A number that is typed beside a slider is taken when the typing pauses. One beyond its ends is refused in words once it
// is entered: ipywidgets moves it to the end unseen.

const REFUSED_FOR = 8000; // ms that the words stay
const PAUSE = 700; // ms after which what is typed is taken
const ENTER = { key: "Enter", keyCode: 13, bubbles: true, cancelable: true }; // ipywidgets asks for its number

function refuseBeyond(box, slider, readout, sign) {
  if (readout.dataset.isFollowed) return;
  readout.dataset.isFollowed = "true";
  let before = readout.textContent;
  let said = null;
  let pause = 0;
  let isNew = false; // whether the field has the focus by this very click
  const read = () => {
    const typed = Number.parseFloat(readout.textContent); // as ipywidgets reads it, which refuses what is no number
    const handle = slider.querySelector(".noUi-handle");
    const [least, most] = ["min", "max"].map((end) => Number(handle.getAttribute(`aria-value${end}`)));
    return { typed, least, most };
  };
  const take = () => {
    const { typed, least, most } = read();
    if (document.activeElement !== readout || !(typed >= least && typed <= most)) return;
    readout.dispatchEvent(new KeyboardEvent("keydown", ENTER));
    getSelection()?.selectAllChildren(readout); // who types on does so behind it
    getSelection()?.collapseToEnd();
  };
  const check = (event) => {
    if (event.type === "keydown" && event.key !== "Enter") return;
    clearTimeout(pause);
    const { typed, least, most } = read();
    said?.remove();
    if (!(typed < least || typed > most)) {
      if (!Number.isNaN(typed)) before = readout.textContent; // Enter does not leave the field
      return;
    }
    readout.textContent = before;
    const share = Number((100 * typed).toPrecision(6));
    const meant = sign && typed > 0 && share >= least && share <= most ? ` For ${share}${sign}, type ${share}.` : "";
    said = box.appendChild(document.createElement("div"));
    said.className = "calibviz-tip calibviz-refused";
    said.setAttribute("role", "alert");
    said.textContent = `${typed}${sign} is not from ${least} to ${most}${sign}.${meant}`;
    setTimeout((one) => one.remove(), REFUSED_FOR, said);
  };
  readout.addEventListener("focus", () => {
    before = readout.textContent;
    isNew = true;
  });
  readout.addEventListener("click", () => {
    if (isNew) getSelection()?.selectAllChildren(readout); // to be typed over
    isNew = false;
  });
  readout.addEventListener("input", () => {
    clearTimeout(pause);
    pause = setTimeout(take, PAUSE);
  });
  readout.addEventListener("keydown", check, true);
  readout.addEventListener("blur", check, true);
}
