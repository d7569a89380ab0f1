// The Explorer inside of the page, from the folder `lite` beside it; a copy of the site may have none.
document.addEventListener("DOMContentLoaded", () => {
    for (const box of document.querySelectorAll(".try")) {
        const [buttons, note] = [box.querySelectorAll("button"), box.querySelector("p")];
        const open = async (address) => {
            for (const button of buttons) button.disabled = true;
            const there = await fetch("lite/jupyter-lite.json", { method: "HEAD" }).catch(() => ({ ok: false }));
            if (!there.ok) {
                note.textContent = "This copy of the site was built without it. ";
                const link = document.createElement("a");
                link.href = "#on-your-machine";
                link.textContent = "Two commands open it on your machine.";
                note.append(link);
                return;
            }
            const frame = document.createElement("iframe");
            frame.title = "The Explorer";
            frame.src = address;
            buttons[0].replaceWith(frame);
            for (const button of buttons) button.remove();
        };
        for (const button of buttons) button.addEventListener("click", () => open(button.dataset.address));
    }
    // Buttons of the theme that have a sign and no words, and headings of columns that have none.
    for (const sign of document.querySelectorAll("details > summary")) {
        const page = sign.closest("li")?.querySelector("a");
        if (page && !sign.textContent.trim()) sign.ariaLabel = `Pages below ${page.textContent}`;
    }
    for (const heading of document.querySelectorAll("th")) {
        if (heading.textContent.trim()) continue;
        const cell = document.createElement("td");
        cell.className = heading.className;
        heading.replaceWith(cell);
    }
    // What is wider than the page scrolls by itself, by keyboard, too.
    for (const wide of document.querySelectorAll("div.math, table")) {
        const scrolled = wide.closest(".pst-scrollable-table-container, .cell_output") ?? wide;
        if (scrolled.scrollWidth > scrolled.clientWidth) scrolled.tabIndex = 0;
    }
});
