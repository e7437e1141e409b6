// A session that only looks, because nothing was done for too long: the page says so, and signing in over it goes on
// where somebody was. Loaded when it is wanted.

import { signIn } from "./security-keys.js";
import { at, button, make, watchSession } from "./shell.js";

let dialog = null;

// ---- the line that says so

export function sayReadOnly(me) {
  at("read-only")?.remove();
  document.body.classList.toggle("read-only", me.read_only);
  if (!me.read_only) return;
  const line = make("p", "notice", "Read-only: nobody did anything here for a while. The table, its alarms and the sound stay on.");
  line.id = "read-only";
  line.setAttribute("role", "status");
  line.append(button("Sign in to decide", () => signInOver(me), "main"));
  at("content").before(line);
}

// ---- the dialog

function field(id, words, type, autocomplete, value) {
  const label = make("label", "", words);
  label.htmlFor = id;
  const input = Object.assign(make("input"), { id, type, autocomplete, value, required: true });
  return [label, input];
}

function build(me) {
  const made = make("dialog");
  made.setAttribute("aria-labelledby", "over-title");
  const title = make("h2", "", "Sign in to go on");
  title.id = "over-title";
  const form = make("form");
  const refusal = make("p", "refusal");
  refusal.id = "over-refusal";
  refusal.setAttribute("role", "alert");
  const yes = Object.assign(make("button", "main", "Sign in"), { type: "submit" });
  const tools = make("p", "tools");
  tools.append(yes, button("Stay read-only", () => made.close()));
  form.append(title, make("p", "quiet", "Nobody did anything here for a while, so your password is asked again."));
  form.append(...field("over-name", "Name", "text", "username", me.name), ...field("over-password", "Password", "password", "current-password", ""));
  if (me.app) {
    const [label, code] = field("over-code", "Code of your second factor", "text", "one-time-code", "");
    form.append(label, Object.assign(code, { inputMode: "numeric", pattern: "[0-9]{6}", maxLength: 6, required: false }));
  }
  form.append(refusal, tools);
  made.append(form);
  document.body.append(made);
  return made;
}

// Asks for name and password over the page. Gives whether somebody has signed in; somebody else gets the page anew.
export function signInOver(me) {
  if (dialog) return Promise.resolve(false); // it is open already
  const made = (dialog = build(me));
  const form = made.querySelector("form");
  const within = (id) => made.querySelector(`#${id}`); // an answer may come when somebody has left, or has opened it again
  return new Promise((done) => {
    let inside = false;
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      within("over-refusal").textContent = "";
      form.querySelector("button").disabled = true;
      const name = within("over-name").value.trim();
      try {
        const code = within("over-code")?.value.trim();
        await signIn({ name, password: within("over-password").value, ...(code && { code }) }, !code);
        if (name !== me.name) return location.reload();
        await watchSession(); // the new token, and the line goes
        inside = true;
        made.close();
      } catch (fault) {
        within("over-refusal").textContent = `Not signed in: ${fault.message}.`;
        within("over-password").value = "";
        within("over-password").focus();
      } finally {
        form.querySelector("button").disabled = false;
      }
    });
    made.addEventListener("close", () => {
      made.remove();
      dialog = null;
      done(inside);
    });
    made.showModal();
    within("over-password").focus();
  });
}
