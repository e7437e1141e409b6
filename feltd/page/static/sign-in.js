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
    await ask("POST", "/session", { name: form.elements.name.value.trim(), password: form.elements.password.value });
    location.replace(wanted());
  } catch (fault) {
    refusal.textContent = `Not signed in: ${fault.message}.`;
    form.elements.password.value = "";
    form.elements.password.focus();
  } finally {
    form.querySelector("button").disabled = false;
  }
});
