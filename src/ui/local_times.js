// Converts times to the reader's own zone. Pages are written in UTC, which stays as the tooltip of each. Parts that a
// script adds later are also converted. It is in a block, since all scripts of a page share their names.
{
  const date = { day: "numeric", month: "short" };
  // The page has the clock format of the browser's own fields for times.
  const { hourCycle } = new Intl.DateTimeFormat(undefined, { hour: "numeric" }).resolvedOptions();
  const hour = hourCycle.startsWith("h1") ? "numeric" : "2-digit";
  const time = { hour, minute: "2-digit", hourCycle };
  /** Public pages are translated: their locale is the reader's. */
  const locale = () => document.documentElement.dataset.locale ?? "en-GB";
  const words = (at, how, timeZone) => {
    const now = new Date();
    const isNear = how !== "minute" && how !== "day" && at.getFullYear() === now.getFullYear();
    const year = isNear ? {} : { year: "numeric" };
    const format = (parts) => new Intl.DateTimeFormat(locale(), { ...parts, timeZone }).format(at);
    if (how === "time" || (how === "recent" && at.toDateString() === now.toDateString())) return format(time);
    if (how === "day" || how === "date") return format({ ...date, ...year });
    if (locale() !== "en-GB") return format({ ...date, ...year, ...time });
    return `${format({ ...date, ...year })}, ${format(time)}`;
  };
  const show = () => {
    for (const shown of document.querySelectorAll("time[data-clock]")) {
      const at = new Date(shown.dateTime);
      // A calendar has its own zone.
      const zone = shown.closest("[data-zone]")?.dataset.zone;
      shown.textContent = words(at, shown.dataset.clock, zone);
      shown.title = `${words(at, "minute", "UTC")} UTC`;
      delete shown.dataset.clock;
    }
  };
  show();
  new MutationObserver(show).observe(document.body, { childList: true, subtree: true });
}
