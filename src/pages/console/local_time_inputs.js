// Fields for times submit UTC. With this script a person reads and types local time, and UTC is shown next to it.
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const two = (number) => String(number).padStart(2, "0");
const asTyped = (at) =>
  `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`;
const inUtc = (at) => at.toISOString().slice(0, 16);
const { hourCycle } = new Intl.DateTimeFormat(undefined, { hour: "numeric" }).resolvedOptions();
const words = (at, timeZone) =>
  new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short", hourCycle, timeZone }).format(at);

// A recurrence keeps the time of day of a zone, by default the person's.
for (const field of document.querySelectorAll('form.compose input[name="zone"]')) field.value ||= zone;

// A page by the days of a zone begins with their own.
if (document.querySelector("form[data-own-zone]") && zone !== "UTC") {
  const here = new URL(location.href);
  if (!here.searchParams.has("zone")) {
    here.searchParams.set("zone", zone);
    location.replace(here);
  }
}

for (const field of document.querySelectorAll("input[data-zone]")) {
  const said = document.querySelector(`[data-zone-of="${field.name}"]`);
  const typed = () => {
    const at = new Date(field.value);
    return field.value === "" || Number.isNaN(at.getTime()) ? null : at;
  };
  // After the way back the browser has put in again what was typed, which is in the person's zone already.
  const begin = new Date(`${field.defaultValue}Z`);
  if (field.value === field.defaultValue && !Number.isNaN(begin.getTime())) field.value = asTyped(begin);
  const say = () => {
    const at = typed();
    if (said) said.textContent = at ? `${zone}; ${words(at, "UTC")} UTC.` : `In ${zone}.`;
  };
  field.form.addEventListener("formdata", ({ formData }) => {
    const at = typed();
    formData.set(field.name, at ? inUtc(at) : "");
  });
  field.addEventListener("input", say);
  say();
}
