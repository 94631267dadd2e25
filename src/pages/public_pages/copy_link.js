// The button that copies the address of a channel's page, in place of the address. It is in a block, since all scripts
// of a page share their names.
{
  const [address, line] = document.querySelectorAll("#scan .address");
  const [button, status] = line.children;
  address.hidden = true;
  line.hidden = false;

  /** Pages over plain http have only the older method, which copies the selection. */
  const copy = () => {
    address.hidden = false;
    getSelection().selectAllChildren(address);
    return document.execCommand("copy");
  };

  button.addEventListener("click", async () => {
    const written = await navigator.clipboard?.writeText(address.textContent).then(
      () => true,
      () => false,
    );
    status.firstElementChild.hidden = !(written || copy());
  });
}
