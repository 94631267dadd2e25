// Submits the one form of the page. Without a script the person presses its button.
document.querySelector("[data-onwards]").submit();
