// Rows of a list: a click anywhere opens the row, and one box selects all rows. Without a script, the title opens it.
// The state that is shown is in sight where the states scroll.
/** Pixels of the state before the shown one that stay in sight: the faded ones, and as many without a fade. */
const BEFORE = 48;
const CONTROLS = "a, button, input, label, select, summary, textarea";

document.addEventListener("click", ({ target, defaultPrevented }) => {
  const row = target.closest("tbody tr");
  if (!row || defaultPrevented || target.closest(CONTROLS) || String(getSelection()) !== "") return;
  row.querySelector("th a")?.click();
});

/** Live parts replace the table, and its box with it. */
function addBox() {
  for (const heading of document.querySelectorAll("th.selects")) {
    if (heading.querySelector("input")) continue;
    const box = document.createElement("input");
    box.type = "checkbox";
    box.setAttribute("aria-label", "Select all");
    box.addEventListener("change", () => {
      for (const one of heading.closest("table").querySelectorAll("td.selects input")) one.checked = box.checked;
    });
    heading.replaceChildren(box);
  }
}
addBox();
const shown = document.querySelector(".tools .chip[aria-current]");
if (shown) {
  const states = shown.parentElement;
  // The row scrolls only where it is narrow, which may begin later: a phone is turned, a window gets smaller.
  const show = () => {
    states.scrollLeft = shown.offsetLeft - states.offsetLeft - BEFORE;
  };
  new ResizeObserver(show).observe(states);
}
new MutationObserver(addBox).observe(document.querySelector("main"), { childList: true, subtree: true });
