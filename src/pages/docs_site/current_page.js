// Scrolls the list of pages to the current page, and marks the section in view in the list of sections.
const pages = document.querySelector(".contents");
const currentPage = pages?.querySelector("[aria-current]");
if (currentPage) pages.scrollTop = currentPage.offsetTop - pages.clientHeight / 2;

const sectionLinks = [...document.querySelectorAll(".toc a")];
const sections = sectionLinks.map((link) => document.getElementById(link.getAttribute("href").slice(1)));
/** Pixels below the top edge: a heading above them is the current one. */
const READING_LINE = 96;

function markSection() {
  const passed = sections.findLastIndex((section) => section.getBoundingClientRect().top < READING_LINE);
  const isAtEnd = scrollY > 0 && innerHeight + scrollY >= document.documentElement.scrollHeight - 1;
  const current = isAtEnd ? sections.length - 1 : Math.max(passed, 0);
  for (const [at, link] of sectionLinks.entries())
    if (at === current) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
}

if (sections.length > 0) {
  markSection();
  addEventListener("scroll", markSection, { passive: true });
}
