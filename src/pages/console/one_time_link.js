// The secret of a one-time link is behind the "#", which browsers do not send. This script submits it with the form,
// and removes it from the address line. Without script the page has a field for the link.
const secret = location.hash.slice(1);
const field = document.getElementById("link");
if (/^[\w-]{43}$/.test(secret) && field) {
  history.replaceState(null, "", location.pathname);
  field.value = secret;
  field.form.submit();
}
