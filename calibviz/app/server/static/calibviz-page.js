// What Voila writes into its page as script, and the page's last word.

// Voila's script calls this once it has the theme, and this one once the page has its cells. The later call shows them.
window.voila_finish = window.display_cells = () => {
  if (!window.themeLoaded) {
    window.cellLoaded = true;
    return;
  }
  document.getElementById("loading")?.remove();
  document.getElementById("rendered_cells").style.display = "";
};
document.addEventListener("DOMContentLoaded", () => {
  if (document.body.dataset.followsSystem) followSystem(window.matchMedia("(prefers-color-scheme: dark)"));
  window.display_cells();
});

// The style sheet follows by itself; what looks at the names of the theme is told.
function followSystem(dark) {
  const tell = () => {
    const { dataset, classList } = document.body;
    dataset.jpThemeLight = String(!dark.matches);
    dataset.jpThemeName = `JupyterLab ${dark.matches ? "Dark" : "Light"}`;
    classList.toggle("theme-dark", dark.matches);
    classList.toggle("theme-light", !dark.matches);
  };
  dark.addEventListener("change", tell);
  tell();
}

// A page that is left ends its kernel. (Voila says so too, but not before all its script has run.)
window.addEventListener("pagehide", () => {
  const { kernelId, baseUrl } = JSON.parse(document.getElementById("jupyter-config-data")?.textContent ?? "{}");
  if (kernelId) navigator.sendBeacon(`${baseUrl}voila/api/shutdown/${kernelId}`);
});

// Where a browser keeps a page that was left, and shows it again, its kernel is gone.
window.addEventListener("pageshow", ({ persisted }) => {
  if (persisted) window.location.reload();
});
