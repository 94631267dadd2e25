// Shows a channel's face and circle as the form has them, drawn by the service; and fills the circle's middle from where the
// device is, when its person asks for that. A new channel's handle follows its name until somebody types one.
const form = document.getElementById("channel");
const [here, said] = ["here", "here-said"].map((id) => document.getElementById(id));
let waiting;
let asked = 0;

async function show() {
  const mine = ++asked;
  try {
    const answer = await fetch(form.dataset.shown, {
      method: "POST",
      body: new URLSearchParams(new FormData(form)),
    });
    if (!answer.ok || mine !== asked) return;
    const drawn = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const id of ["channel-shown", "circle-shown"])
      document.getElementById(id).replaceChildren(...drawn.getElementById(id).childNodes);
  } catch {
    // The drawing stays as it is; what was typed is not touched.
  }
}

const { name, handle } = form.elements;

/** "Night Trains, Évora" is proposed as night-trains-evora: what a handle may hold, and no longer. */
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

const position = () =>
  new Promise((resolve, reject) => {
    navigator.geolocation.getCurrentPosition(({ coords }) => resolve(coords), reject, {
      maximumAge: 60_000,
      timeout: 30_000,
    });
  });

if (here && navigator.geolocation) {
  here.hidden = false;
  here.addEventListener("click", async () => {
    here.disabled = true;
    said.textContent = "Asking this device where it is…";
    try {
      const { latitude, longitude } = await position();
      // Four decimals are eleven metres.
      form.elements.lat.value = latitude.toFixed(4);
      form.elements.lon.value = longitude.toFixed(4);
      if (form.elements.radius_km.value === "") form.elements.radius_km.value = "5";
      said.textContent = "Filled in. Nothing is saved yet.";
      await show();
    } catch {
      said.textContent =
        "This device did not say where it is. Allow it in the browser’s settings, or type the numbers.";
    }
    here.disabled = false;
  });
}
