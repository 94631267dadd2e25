// Rows of a list: a click anywhere opens the row, and one box selects all rows. Without a script, the title opens it.
// The state that is shown is in sight where the states scroll.
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
if (shown) shown.parentElement.scrollLeft = shown.offsetLeft - shown.parentElement.offsetLeft - 24;
new MutationObserver(addBox).observe(document.querySelector("main"), { childList: true, subtree: true });
