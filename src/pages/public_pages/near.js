// Finds channels near the device, on this device. It requests the list of all channels with a circle, which is the same
// for all visitors, and compares the position here. No request contains the position.
import { distanceKm } from "../web_app/browser/rules/distance.ts";

const button = document.getElementById("near");
const results = document.getElementById("results");
const said = document.getElementById("said");
const MOST = 50;

const position = () =>
  new Promise((resolve, reject) => {
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => resolve({ lat: coords.latitude, lon: coords.longitude }),
      reject,
      { maximumAge: 60_000, timeout: 30_000 },
    );
  });

function row(channel, at, { t, formatDistance }) {
  const item = document.getElementById("row").content.firstElementChild.cloneNode(true);
  const id = `near-${at}`;
  item.querySelector("linearGradient").id = id;
  const [ground, shade] = item.querySelectorAll("rect");
  ground.setAttribute("fill", `url(#${id})`);
  shade.setAttribute("fill-opacity", channel.shade);
  const [from, to] = item.querySelectorAll("stop");
  from.setAttribute("stop-color", channel.gradient_from);
  to.setAttribute("stop-color", channel.gradient_to);
  const initials = item.querySelector("text");
  initials.textContent = channel.initials;
  if ([...channel.initials].length > 2) initials.setAttribute("font-size", "14");
  const link = item.querySelector("a");
  link.textContent = channel.name;
  link.href = `${results.dataset.base}/${channel.handle}`;
  item.querySelector(".small").textContent = channel.description;
  const distance = formatDistance(Math.max(channel.gap, 0.001));
  const how = channel.gap <= 0 ? t("near.inside_one") : t("near.away", { distance });
  const parts = [how, t(`category.${channel.category}`), channel.city].filter(Boolean).map((part) => {
    const isolated = document.createElement("bdi");
    isolated.className = "line";
    isolated.textContent = part;
    return isolated;
  });
  item.querySelector(".meta").replaceChildren(...parts);
  return item;
}

async function near() {
  button.disabled = true;
  document.getElementById("near-hint").hidden = false;
  let texts;
  try {
    texts = await globalThis.loadPageTexts();
    said.textContent = texts.t("near.locating");
    const here = await position();
    const answer = await fetch(results.dataset.near, { credentials: "omit" });
    if (!answer.ok) throw new Error("loading the channels failed");
    const { data, more } = await answer.json();
    const category = document.getElementById("category").value;
    const letters = document.getElementById("q").value.trim().toLowerCase();
    const found = data
      .filter((channel) => category === "" || channel.category === category)
      .filter((channel) => channel.search_text.includes(letters))
      .map((channel) => ({ ...channel, gap: distanceKm(here, channel) - channel.radius_km }))
      // Channels whose area contains the device are first, smaller areas before larger ones.
      .sort((a, b) => (a.gap <= 0 && b.gap <= 0 ? a.radius_km - b.radius_km : Math.max(a.gap, 0) - Math.max(b.gap, 0)))
      .slice(0, MOST);
    const list = document.createElement("ul");
    list.className = "entries";
    list.append(...found.map((channel, at) => row(channel, at, texts)));
    results.replaceChildren(list);
    document.querySelector(".pages")?.remove();
    const { t } = texts;
    const inside = found.filter(({ gap }) => gap <= 0).length;
    said.textContent =
      found.length === 0
        ? t("near.none")
        : [inside === 0 ? t("near.outside") : t("near.inside", { count: inside }), more && t("near.only_newest")]
            .filter(Boolean)
            .join(" ");
  } catch (error) {
    const key = error instanceof Error ? "near.offline" : "near.denied";
    said.textContent = texts?.t(key) ?? "The channels could not be loaded. Try again when you are online.";
  }
  button.disabled = false;
}

if (navigator.geolocation) {
  button.hidden = false;
  button.addEventListener("click", near);
}
