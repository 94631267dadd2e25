// Adds a copy button to every copyable text. Without it, a click into the text selects it whole.
for (const text of document.querySelectorAll("pre[data-copy]")) {
  const button = document.createElement("button");
  const said = document.createElement("span");
  button.type = "button";
  button.className = "plain";
  button.setAttribute("aria-label", `Copy ${text.dataset.copy}`);
  button.textContent = "Copy";
  said.className = "unseen";
  said.setAttribute("role", "status");
  text.after(button, said);
  let back;
  const show = (words, spoken) => {
    clearTimeout(back);
    button.textContent = words;
    said.textContent = spoken;
    back = setTimeout(() => {
      button.textContent = "Copy";
      said.textContent = "";
    }, 4000);
  };
  button.addEventListener("click", async () => {
    const done = await copy(text);
    if (done) show("Copied", `Copied ${text.dataset.copy}.`);
    else show("Selected", "Your browser blocked copying. The text is selected; copy it with your keyboard.");
  });
}

/** Selects the text and copies it. Pages over plain http from another machine have only the older way. */
async function copy(text) {
  getSelection().selectAllChildren(text);
  try {
    await navigator.clipboard.writeText(text.textContent);
    return true;
  } catch {
    return document.execCommand("copy");
  }
}
