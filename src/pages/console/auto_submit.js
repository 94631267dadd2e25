// Goes on with the one form of the page by itself; without a script its button does.
document.querySelector("[data-onwards]").submit();
