// Uploads a file of a form as soon as it is chosen, with its progress. It writes the outcome into the form, which
// receives the same events as for typing.
for (const part of document.querySelectorAll("[data-upload]")) {
  const input = part.querySelector("input[type=file]");
  const bar = document.createElement("progress");
  const said = document.createElement("p");
  bar.hidden = true;
  bar.max = 1;
  bar.setAttribute("aria-label", "Upload");
  said.className = "hint";
  said.setAttribute("role", "status");
  part.querySelector("button")?.remove();
  part.append(bar, said);
  input.addEventListener("change", () => input.files[0] && upload(part, input, bar, said));
}

function upload(part, input, bar, said) {
  const { form } = input;
  const body = new FormData();
  body.append("form_token", form.elements.form_token.value);
  body.append("kind", part.dataset.upload);
  body.append("file", input.files[0]);
  const request = new XMLHttpRequest();
  bar.hidden = false;
  bar.value = 0;
  said.className = "hint";
  said.textContent = "Uploading …";
  request.upload.addEventListener("progress", ({ loaded, total }) => {
    bar.value = loaded / total;
  });
  request.addEventListener("loadend", () => {
    bar.hidden = true;
    const answer = readAnswer(request);
    said.className = answer.id ? "hint" : "wrong";
    said.textContent = answer.id ? `${answer.name} uploaded and selected.` : answer.message;
    if (!answer.id) return;
    input.value = "";
    const into = document.getElementById(part.dataset.into);
    const value = answer[part.dataset.holds];
    if (into instanceof HTMLSelectElement) into.add(new Option(answer.name, value, true, true));
    into.value = value;
    into.dispatchEvent(new Event("input", { bubbles: true }));
  });
  request.open("POST", form.dataset.uploads);
  request.send(body);
}

function readAnswer({ status, responseText }) {
  try {
    return JSON.parse(responseText);
  } catch {
    return {
      message:
        status === 0
          ? "The upload failed. Choose the file again."
          : status === 401
            ? "You were signed out. Submit the form, sign in again, then choose the file again."
            : "The file was rejected.",
    };
  }
}
