// Find anything by keyboard: "/" or Ctrl K opens a dialog with the results of the search page, "?" the shortcuts.
{
  const link = document.querySelector("a[data-find]");
  const OFF = "belfry-single-keys";
  const make = (name, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  };

  const input = make("input", {
    type: "search",
    dir: "auto",
    name: "q",
    autocomplete: "off",
    placeholder: "Channels, alerts, pages, actions",
  });
  input.setAttribute("aria-label", "Search the workspace");
  const results = make("div");
  const form = make("form", { method: "get", action: link.href }, input);
  form.setAttribute("role", "search");
  const escapeKey = make("kbd", { textContent: "Esc" });
  escapeKey.setAttribute("aria-hidden", "true");
  const close = make("button", { type: "button", className: "quiet" }, "Close ", escapeKey);
  const keys = make("p", { className: "hint find-keys", textContent: "↑ ↓ select · ↵ open" });
  const finder = make(
    "dialog",
    { className: "find" },
    make("div", { className: "find-head" }, form, close),
    results,
    keys,
  );
  finder.setAttribute("aria-label", "Search the workspace");

  const help = make("dialog", { className: "find help" });
  help.setAttribute("aria-label", "Keyboard shortcuts");
  const closeHelp = make("button", { type: "button", className: "plain", textContent: "Close" });
  const single = make("input", { type: "checkbox", checked: localStorage.getItem(OFF) !== "off" });
  document.body.append(finder, help);

  let asked = 0;
  let shown = null;
  async function ask() {
    const turn = ++asked;
    const query = new URLSearchParams({ q: input.value, live: "1" });
    const answer = await fetch(`${link.href}?${query}`, { redirect: "error" }).catch(() => null);
    // Without an answer, Enter opens the search page, which leads to sign-in where the session ended.
    if (turn !== asked || !answer?.ok) return;
    const part = new DOMParser().parseFromString(await answer.text(), "text/html");
    const list = part.getElementById("find-results");
    shown = input.value;
    results.replaceChildren(list);
    list.querySelector("a")?.classList.add("first-result");
    if (help.childElementCount === 0)
      help.append(
        part.getElementById("shortcuts"),
        make("p", {}, make("label", { className: "withbox" }, single, " Single-key shortcuts")),
        closeHelp,
      );
  }

  let soon;
  input.addEventListener("input", () => {
    clearTimeout(soon);
    soon = setTimeout(ask, 150);
  });
  form.addEventListener("submit", (event) => {
    const first = results.querySelector("a");
    if (input.value === "" || (shown === input.value && first)) event.preventDefault();
    if (shown === input.value && input.value !== "") first?.click();
  });
  const open = () => {
    if (help.open) help.close();
    if (!finder.open) finder.showModal();
    input.select();
    ask();
  };
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open();
  });
  close.addEventListener("click", () => finder.close());
  closeHelp.addEventListener("click", () => help.close());
  single.addEventListener("change", () => localStorage.setItem(OFF, single.checked ? "on" : "off"));
  for (const dialog of [finder, help])
    dialog.addEventListener("click", ({ target }) => {
      if (target === dialog) dialog.close();
    });

  finder.addEventListener("keydown", (event) => {
    // A search field would only empty itself.
    if (event.key === "Escape") {
      event.preventDefault();
      finder.close();
    }
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    const stops = [input, ...results.querySelectorAll("a")];
    const next = stops.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1);
    stops[(next + stops.length) % stops.length].focus();
  });

  document.addEventListener("keydown", async (event) => {
    const { key, target } = event;
    if ((event.ctrlKey || event.metaKey) && !event.altKey && key.toLowerCase() === "k") {
      event.preventDefault();
      return open();
    }
    const writes = target.closest("input, textarea, select, [contenteditable]");
    if (writes || event.ctrlKey || event.metaKey || event.altKey || !single.checked) return;
    if (key === "/") {
      event.preventDefault();
      open();
    } else if (key === "?") {
      event.preventDefault();
      if (help.childElementCount === 0) await ask();
      if (finder.open) finder.close();
      help.showModal();
    }
  });
}
