// The language of a public page. The page is in English and the same for every reader. This script replaces the marked
// texts by those of the reader's language, which is one file that browsers keep. It runs before the page is drawn, so
// that the direction of the page does not change afterwards.
import {
  choosePluralForm,
  formatDistanceIn,
  formatText,
  usesMiles,
} from "../web_app/browser/texts/format_translated_text.ts";
import {
  chooseLanguage,
  getDirection,
  getLangAttribute,
  LANGUAGE_STORAGE_KEY,
} from "../web_app/browser/texts/languages.ts";

const root = document.documentElement;
const { texts: folder } = document.currentScript.dataset;
/** Milliseconds that the page waits for its texts before it is drawn in English. */
const WAIT_MS = 1_500;

function readSetting() {
  try {
    return localStorage.getItem(LANGUAGE_STORAGE_KEY);
  } catch {
    return null;
  }
}

const setting = readSetting();
const { language, locale } = chooseLanguage(setting === null ? navigator.languages : [setting, ...navigator.languages]);

async function load() {
  const response = await fetch(folder.replace("{language}", language), { credentials: "omit" });
  if (!response.ok) throw new Error("the texts could not be loaded");
  return response.json();
}

const formatValue = (value, unit) =>
  unit === "km" ? formatDistanceIn(locale, value) : new Intl.NumberFormat(locale).format(value);

function translateElement(element, texts) {
  const text = texts[element.dataset.t];
  delete element.dataset.t;
  if (text === undefined) return;
  const slots = new Map([...element.querySelectorAll(":scope > [data-slot]")].map((one) => [one.dataset.slot, one]));
  for (const one of slots.values())
    if (one.tagName === "DATA") one.textContent = formatValue(Number(one.value), one.dataset.unit);
  const parts = choosePluralForm(text, slots.get("count")?.value, locale).split(/\{(\w+)\}/);
  element.replaceChildren(...parts.map((part, at) => (at % 2 === 1 ? (slots.get(part) ?? `{${part}}`) : part)));
}

function translateAttribute(element, texts) {
  const [name, key] = element.dataset.tAttribute.split(":");
  delete element.dataset.tAttribute;
  if (texts[key] === undefined) return;
  const values = Object.entries(JSON.parse(element.dataset.values ?? "{}")).map(([one, value]) => [
    one,
    typeof value === "object" ? formatValue(value.km, "km") : value,
  ]);
  element.setAttribute(name, formatText(texts[key], Object.fromEntries(values), locale));
}

/** Commas between the parts of a list, where they are not as in English. */
const COMMAS = { ar: "، ", ja: "、", zh: "、" };

function translateCommas() {
  for (const comma of document.querySelectorAll("[data-comma]")) {
    comma.textContent = COMMAS[language] ?? comma.textContent;
    delete comma.dataset.comma;
  }
}

function translate(texts) {
  for (const element of document.querySelectorAll("[data-t]")) translateElement(element, texts);
  for (const element of document.querySelectorAll("[data-t-attribute]")) translateAttribute(element, texts);
  translateCommas();
}

function formatDistances() {
  for (const element of document.querySelectorAll('data[data-unit="km"]'))
    element.textContent = formatValue(Number(element.value), "km");
}

function finish() {
  delete root.dataset.translating;
}

/** A page that stays in English, since its texts did not come. */
function stayEnglish() {
  root.lang = "en";
  root.dir = "ltr";
  delete root.dataset.locale;
  finish();
}

const domReady = new Promise((resolve) => {
  document.addEventListener("DOMContentLoaded", resolve, { once: true });
});

async function showLanguage() {
  root.lang = getLangAttribute(language);
  root.dir = getDirection(language);
  root.dataset.locale = locale;
  root.dataset.translating = "";
  setTimeout(finish, WAIT_MS);
  try {
    const [texts] = await Promise.all([load(), domReady]);
    translate(texts);
    const { title } = root.dataset;
    if (title && texts[title]) document.title = `${texts[title]} · Belfry`;
    new MutationObserver(() => translate(texts)).observe(document.body, { childList: true, subtree: true });
    finish();
  } catch {
    stayEnglish();
  }
}

/** The list of languages at the end of the page. The choice is the one of the app's settings. */
function offerLanguages() {
  const select = document.getElementById("page-language");
  if (!select) return;
  select.value = language;
  document.getElementById("translation").hidden = language === "en";
  select.form.hidden = false;
  select.addEventListener("change", () => {
    try {
      localStorage.setItem(LANGUAGE_STORAGE_KEY, select.value);
    } catch {
      return;
    }
    location.reload();
  });
}

if (language !== "en") void showLanguage();
else {
  root.dataset.locale = locale;
  // The English texts of the page are in kilometres.
  if (usesMiles(locale)) void domReady.then(formatDistances);
}
void domReady.then(offerLanguages);

let loading;
/** For the other scripts of the page: the function that formats a text of the reader's language. */
globalThis.loadPageTexts = async () => {
  loading ??= load();
  const texts = await loading;
  return {
    t: (key, values = {}) => formatText(texts[key] ?? key, values, locale),
    formatDistance: (km) => formatDistanceIn(locale, km),
  };
};
