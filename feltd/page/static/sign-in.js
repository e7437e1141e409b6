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

function field(id, words) {
  const label = Object.assign(document.createElement("label"), { htmlFor: id, textContent: words });
  const input = Object.assign(document.createElement("input"), { id, name: id, type: "password", autocomplete: "new-password" });
  return [label, Object.assign(input, { minLength: 12, maxLength: 256, required: true })];
}

// A code that is good once: the person chooses a password along with it.
function chooses(fault, form) {
  const first = at("new") === null;
  at("refusal").textContent = first ? "" : `Not signed in: ${fault.message}.`;
  if (first) {
    const words = Object.assign(document.createElement("p"), { textContent: "The code is right. Choose a password of your own: 12 characters or more." });
    words.setAttribute("role", "status");
    at("choose").append(words, ...field("new", "New password"), ...field("again", "New password once more"));
  }
  form.elements.new.focus();
}

function refused(fault, form) {
  if (fault.choose) return chooses(fault, form);
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
    const chosen = at("new") === null ? {} : { new: at("new").value };
    const credentials = { name: form.elements.name.value.trim(), password: form.elements.password.value, ...chosen };
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
  if (at("new")?.value !== at("again")?.value) {
    at("refusal").textContent = "The two new passwords are not the same.";
    return at("again").focus();
  }
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
