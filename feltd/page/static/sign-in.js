import { ask } from "./api.js";

document.getElementById("sign-in").addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = event.target;
  const refusal = document.getElementById("refusal");
  refusal.textContent = "";
  form.querySelector("button").disabled = true;
  try {
    await ask("POST", "/session", { name: form.elements.name.value.trim(), password: form.elements.password.value });
    location.replace("/");
  } catch (fault) {
    refusal.textContent = `Not signed in: ${fault.message}.`;
    form.elements.password.value = "";
    form.elements.password.focus();
  } finally {
    form.querySelector("button").disabled = false;
  }
});
