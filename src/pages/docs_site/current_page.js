// Scrolls the list of pages to the current page.
const pages = document.querySelector(".contents");
const currentPage = pages?.querySelector("[aria-current]");
if (currentPage) pages.scrollTop = currentPage.offsetTop - pages.clientHeight / 2;
