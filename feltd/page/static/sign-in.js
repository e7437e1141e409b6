import { signed, signIn } from "./security-keys.js";

const at = (id) => document.getElementById(id);
let asked = null; // a question for a security key, where one would do: the refusal that it came with

// Back to where somebody was, or wanted to go: on this table only. The whole address, for a path such as //elsewhere by
// itself is another host. What is no address at all leads to the table: who signed in would read that they had not.
function wanted() {
  const asked = new URLSearchParams(location.search).get("to") || "/";
  if (!URL.canParse(asked, location.origin)) return "/";
  const to = new URL(asked, location.origin);
  return to.origin === location.origin ? to.href : "/";
}

function refused(fault, form) {
  const first = fault.factor === "needed" && at("second").hidden;
  at("refusal").textContent = first ? "" : `Not signed in: ${fault.message}.`;
  at("second").hidden = fault.factor !== "needed";
  asked = fault.key ? fault : null;
  at("key-use").hidden = asked === null;
  form.elements.code.value = "";
  if (fault.factor === "needed") return form.elements.code.focus();
  if (fault.factor === "key") return at("key-use").focus();
  form.elements.password.value = "";
  form.elements.password.focus();
}

// `more()` gives what goes along with name and password.
async function enter(more) {
  const form = at("sign-in");
  at("refusal").textContent = "";
  for (const pressed of form.querySelectorAll("button")) pressed.disabled = true;
  try {
    const credentials = { name: form.elements.name.value.trim(), password: form.elements.password.value };
    await signIn({ ...credentials, ...(await more()) });
    location.replace(wanted());
  } catch (fault) {
    for (const pressed of form.querySelectorAll("button")) pressed.disabled = false;
    refused(fault, form);
  }
}

at("over").hidden = !new URLSearchParams(location.search).has("over");

at("sign-in").addEventListener("submit", (event) => {
  event.preventDefault();
  const code = event.target.elements.code.value.trim();
  enter(() => (code ? { code } : {}));
});

at("key-use").addEventListener("click", () => {
  const { key, factor } = asked;
  enter(async () => ({
    key: await signed(key).catch((fault) => {
      throw Object.assign(fault, { key, factor });
    }),
  }));
});
