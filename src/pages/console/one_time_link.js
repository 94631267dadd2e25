// The secret of a one-time link stands behind the "#", which browsers keep to themselves. This hands it to the form and
// sends it, and takes it out of the address line. Without script the page asks for the link to be pasted.
const secret = location.hash.slice(1);
const field = document.getElementById("link");
if (/^[\w-]{43}$/.test(secret) && field) {
  history.replaceState(null, "", location.pathname);
  field.value = secret;
  field.form.submit();
}
