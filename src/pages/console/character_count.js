// Shows how much of a field's limit is used, in characters as the service counts them: an emoji is one.
for (const said of document.querySelectorAll("[data-counts]")) {
  const field = document.getElementById(said.dataset.counts);
  const most = Number(said.dataset.most);
  const show = () => {
    const taken = [...field.value.replace(/\r\n/g, "\n")].length;
    said.textContent = `${taken.toLocaleString("en")} of ${most.toLocaleString("en")}`;
    said.classList.toggle("over", taken > most);
  };
  field.addEventListener("input", show);
  show();
}
