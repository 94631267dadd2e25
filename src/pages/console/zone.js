// Fields for instants come and go in UTC. With this script a person reads and types their own time, and UTC stands beside it.
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const two = (number) => String(number).padStart(2, "0");
const asTyped = (at) =>
  `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`;
const inUtc = (at) => at.toISOString().slice(0, 16);
const words = (at, timeZone) =>
  new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short", timeZone }).format(at);

for (const field of document.querySelectorAll("input[data-zone]")) {
  const sent = document.createElement("input");
  const said = document.querySelector(`[data-zone-of="${field.name}"]`);
  sent.type = "hidden";
  sent.name = field.name;
  sent.value = field.defaultValue;
  field.removeAttribute("name");
  field.after(sent);
  const begin = new Date(`${field.defaultValue}Z`);
  if (!Number.isNaN(begin.getTime())) field.value = asTyped(begin);
  const say = () => {
    const at = new Date(field.value);
    const real = field.value !== "" && !Number.isNaN(at.getTime());
    sent.value = real ? inUtc(at) : "";
    if (said) said.textContent = real ? `${zone}; ${words(at, "UTC")} UTC.` : `In ${zone}.`;
  };
  field.addEventListener("input", say);
  say();
}
