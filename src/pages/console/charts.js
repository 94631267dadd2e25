// Values of charts by pointer and by keyboard, and a chart as a PNG file. Each chart gets a slider over its bars, a
// line with the selected value, and a button. Charts of a live part get them again after each update.

const SVG = "http://www.w3.org/2000/svg";
/** Height above the bars, and height of the bars, as in charts/chart.ts. */
const TOP = 20;
const BARS = 180;
/** Pixels of a PNG for one of the page, its margin, and its space for the heading. */
const SCALE = 2;
const MARGIN = 16;
const HEADING = 64;
/** Safari cancels a download whose address is revoked before it begins. */
const REVOKE_MS = 60_000;
const DRAWN = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-dasharray",
  "stroke-width",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
  "display",
];

const draw = (name, attributes, text = "") => {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.textContent = text;
  return element;
};

function equip(svg) {
  const points = svg.dataset.points.split("\n").map((line) => {
    const [from, to, ...words] = line.split(" ");
    return { from: Number(from), to: Number(to), words: words.join(" ") };
  });
  const figure = svg.closest("figure");
  const name = figure.querySelector("h2, h3").textContent;
  const slider = Object.assign(document.createElement("input"), { type: "range", min: 0, max: points.length - 1 });
  slider.value = points.length - 1;
  slider.className = "values";
  // Enter on a slider of a form would submit that form.
  slider.setAttribute("form", "");
  slider.setAttribute("aria-label", `${name}: values`);
  const line = Object.assign(document.createElement("p"), { className: "hint value-line" });
  line.setAttribute("aria-hidden", "true");
  const mark = draw("rect", { class: "pointed", y: TOP, height: BARS, display: "none" });
  svg.prepend(mark);

  const show = (point) => {
    line.textContent = (point ?? points[slider.value]).words;
    mark.setAttribute("display", point ? "inline" : "none");
    if (!point) return;
    mark.setAttribute("x", `${point.from * 100}%`);
    mark.setAttribute("width", `${(point.to - point.from) * 100}%`);
  };
  const selected = () => {
    slider.setAttribute("aria-valuetext", points[slider.value].words);
    show(points[slider.value]);
  };
  const leave = () => (document.activeElement === slider ? selected() : show(null));
  slider.addEventListener("input", selected);
  slider.addEventListener("focus", selected);
  slider.addEventListener("blur", () => show(null));
  const point = ({ clientX }) => {
    const { left, width } = svg.getBoundingClientRect();
    const at = (clientX - left) / width;
    show(points.find(({ from, to }) => at >= from && at < to));
  };
  svg.addEventListener("pointermove", point);
  svg.addEventListener("pointerdown", point);
  svg.addEventListener("pointerleave", leave);
  slider.setAttribute("aria-valuetext", points[slider.value].words);
  show(null);

  const title = `Download PNG of ${name}`;
  const save = Object.assign(document.createElement("button"), {
    type: "button",
    className: "quiet save-chart",
    title,
  });
  const arrow = draw("svg", { class: "i", viewBox: "0 0 24 24", "aria-hidden": "true" });
  arrow.append(draw("path", { d: "M12 4v11M7 10.5l5 5 5-5M5 20h14" }));
  save.append(arrow);
  save.setAttribute("aria-label", title);
  const problem = document.createElement("span");
  problem.className = "hint";
  problem.setAttribute("role", "status");
  save.addEventListener("click", async () => {
    problem.textContent = "";
    try {
      await download(svg, name);
    } catch {
      problem.textContent = "Your browser could not create the picture. Reload the page, or use another browser.";
    }
  });
  figure.querySelector("figcaption").append(save);
  svg.after(slider, line, problem);
}

/** A copy that needs no style sheet: it has the computed styles as attributes. */
function copyWithStyles(svg) {
  const copy = svg.cloneNode(true);
  const copies = copy.querySelectorAll("*");
  for (const [i, element] of svg.querySelectorAll("*").entries()) {
    const style = getComputedStyle(element);
    for (const name of DRAWN) copies[i].setAttribute(name, style.getPropertyValue(name));
  }
  for (const unseen of copy.querySelectorAll("title, desc, .pointed")) unseen.remove();
  return copy;
}

/** @throws if the browser cannot draw the picture */
async function download(svg, name) {
  const { width, height, right } = svg.getBoundingClientRect();
  // The numbers of lines are to the left of the bars.
  const whole = right - svg.closest("figure").getBoundingClientRect().left;
  const size = { width: whole + 2 * MARGIN, height: height + HEADING + 2 * MARGIN };
  const card = getComputedStyle(svg.closest(".card") ?? document.body);
  const text = { x: MARGIN, fill: card.color, "font-family": card.fontFamily };
  const chart = copyWithStyles(svg);
  for (const [key, value] of Object.entries({
    x: MARGIN + whole - width,
    y: HEADING + MARGIN,
    width,
    height,
    overflow: "visible",
  }))
    chart.setAttribute(key, value);
  const page = document.title.replace(/ · Belfry$/, "");
  const sheet = draw("svg", { xmlns: SVG, ...size });
  sheet.append(
    draw("rect", { ...size, fill: card.backgroundColor }),
    draw("text", { ...text, y: MARGIN + 16, "font-size": 18, "font-weight": 600 }, name),
    draw("text", { ...text, y: MARGIN + 38, "font-size": 13 }, page),
    draw("text", { ...text, y: MARGIN + 56, "font-size": 13 }, svg.dataset.about),
    chart,
  );
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(sheet))}`;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), {
    width: Math.round(size.width * SCALE),
    height: Math.round(size.height * SCALE),
  });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = `belfry_${svg.closest("figure").id}.png`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), REVOKE_MS);
}

function equipAll() {
  for (const svg of document.querySelectorAll("svg[data-points]:not(:has(.pointed))")) equip(svg);
}

equipAll();
for (const part of document.querySelectorAll("[data-live]"))
  new MutationObserver(equipAll).observe(part, { childList: true });
