// A number that is typed beside a slider, beyond its ends, is refused in words: ipywidgets moves it to the end unseen.

const REFUSED_FOR = 8000; // ms that the words stay

function refuseBeyond(box, slider, readout, sign) {
  if (readout.dataset.isFollowed) return;
  readout.dataset.isFollowed = "true";
  let before = readout.textContent;
  let said = null;
  const check = (event) => {
    if (event.type === "keydown" && event.key !== "Enter") return;
    const typed = Number.parseFloat(readout.textContent); // as ipywidgets reads it, which refuses what is no number
    const handle = slider.querySelector(".noUi-handle");
    const [least, most] = ["min", "max"].map((end) => Number(handle.getAttribute(`aria-value${end}`)));
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
  readout.addEventListener("focus", () => (before = readout.textContent));
  readout.addEventListener("keydown", check, true);
  readout.addEventListener("blur", check, true);
}
