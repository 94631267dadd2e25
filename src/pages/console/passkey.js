// Requests a new or existing passkey from the browser, and passes its response to the form. Such forms are hidden
// without this file, since passkeys need a script.
const able = globalThis.PublicKeyCredential?.parseCreationOptionsFromJSON !== undefined;

const CANCELLED = "Cancelled or timed out. Try again.";
const KNOWN = "This device already has a passkey for your account.";

for (const form of document.querySelectorAll("form[data-passkey]")) {
  const [said, button] = [form.querySelector("[data-said]"), form.querySelector("button")];
  form.hidden = !able;
  if (able) document.querySelector("[data-without-passkeys]")?.remove();
  form.addEventListener("submit", async (event) => {
    if (form.elements.answer.value !== "") return;
    event.preventDefault();
    button.disabled = true;
    said.textContent = "Waiting for your browser …";
    try {
      form.elements.answer.value = JSON.stringify(await ask(form));
      form.submit();
    } catch (error) {
      said.textContent = error.said ?? (error.name === "InvalidStateError" ? KNOWN : CANCELLED);
      if (error.field) form.elements[error.field]?.focus();
      button.disabled = false;
    }
  });
}

/** The browser's response. Throws an error with `said` where our own side refuses. */
async function ask(form) {
  const response = await fetch(form.dataset.begin, {
    method: "POST",
    body: new URLSearchParams(
      [...new FormData(form)].filter(([name]) => name !== "kept_form").map(([name, value]) => [name, String(value)]),
    ),
  });
  const begun = await response.json().catch(() => ({ said: "The request failed. Reload the page and try again." }));
  if (!begun.options) throw Object.assign(new Error(), begun);
  const made =
    form.dataset.passkey === "add"
      ? await navigator.credentials.create({
          publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(begun.options),
        })
      : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(begun.options) });
  return made.toJSON();
}
