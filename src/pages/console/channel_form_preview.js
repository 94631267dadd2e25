// Shows a channel's avatar and circle as the form has them, drawn by the service. A new channel's handle follows its
// name until the person edits the handle.
const form = document.getElementById("channel");
let waiting;
let asked = 0;

async function show() {
  const mine = ++asked;
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (typeof value === "string") body.append(name, value);
  try {
    const answer = await fetch(form.dataset.shown, { method: "POST", body });
    if (!answer.ok || mine !== asked) return;
    const drawn = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const id of ["channel-shown", "circle-shown"])
      document.getElementById(id).replaceChildren(...drawn.getElementById(id).childNodes);
  } catch {
    // The drawing stays as it is; what was typed is not touched.
  }
}

const { name, handle } = form.elements;

/** "Night Trains, Évora" becomes night-trains-evora: only characters that a handle may contain, up to its limit. */
const proposed = (words) =>
  words
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}|['’]/gu, "")
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 30)
    .replace(/^-+|-+$/g, "");

if (handle) {
  let own = handle.value !== "";
  handle.addEventListener("input", () => {
    own = handle.value !== "" && handle.value !== proposed(name.value);
  });
  name.addEventListener("input", () => {
    if (own) return;
    handle.value = proposed(name.value);
    handle.dispatchEvent(new Event("input"));
  });
}

form.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(show, 250);
});
