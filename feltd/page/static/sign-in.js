import { ask } from "./api.js";

// Back to where somebody was, or wanted to go: on this table only. The whole address, for a path such as //elsewhere by
// itself is another host.
function wanted() {
  const to = new URL(new URLSearchParams(location.search).get("to") || "/", location.origin);
  return to.origin === location.origin ? to.href : "/";
}

document.getElementById("over").hidden = !new URLSearchParams(location.search).has("over");

document.getElementById("sign-in").addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = event.target;
  const refusal = document.getElementById("refusal");
  refusal.textContent = "";
  form.querySelector("button").disabled = true;
  try {
    const code = form.elements.code.value.trim();
    await ask("POST", "/session", { name: form.elements.name.value.trim(), password: form.elements.password.value, ...(code && { code }) });
    location.replace(wanted());
  } catch (fault) {
    const first = fault.needsCode && document.getElementById("second").hidden;
    refusal.textContent = first ? "" : `Not signed in: ${fault.message}.`;
    document.getElementById("second").hidden = !fault.needsCode;
    form.elements.code.value = "";
    if (fault.needsCode) return form.elements.code.focus();
    form.elements.password.value = "";
    form.elements.password.focus();
  } finally {
    form.querySelector("button").disabled = false;
  }
});
