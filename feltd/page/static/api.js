// Asks the API. What goes wrong comes as an Error with the words for people, and `status`.

const API = "/api/v1";
let csrf = null;
let signInOver = null;

// `asked()` has somebody sign in over a page that only looks, and gives whether they have.
export const onSignInNeeded = (asked) => (signInOver = asked);

// `byItself`: the page asks with nobody touching it, so the session is idle all the same.
export async function ask(method, path, body, byItself = false) {
  const headers = { accept: "application/json" };
  if (byItself) headers["x-by-itself"] = "1";
  if (body !== undefined) headers["content-type"] = "application/json";
  if (method !== "GET" && csrf) headers["x-csrf-token"] = csrf;
  let answer;
  try {
    answer = await fetch(API + path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  } catch {
    throw Object.assign(new Error("the table does not answer: is the network there?"), { status: 0 });
  }
  const said = answer.status === 204 ? null : await answer.json().catch(() => null);
  if (answer.ok) return said;
  if (answer.status === 401 && signInOver && path !== "/session" && !byItself && (await signInOver())) return ask(method, path, body);
  throw Object.assign(new Error((said && said.detail) || `the table answers ${answer.status}`), { status: answer.status, reason: said?.reason, clause: said?.clause, factor: answer.headers.get("x-second-factor"), choose: answer.headers.get("x-new-password") === "needed", key: said?.key });
}

// A token that goes along with every change, from elsewhere than the session.
export function sendAlong(token) {
  csrf = token;
}

// Who is signed in, with the token that goes along with every change; null for nobody.
export async function whoAmI(byItself = false) {
  try {
    const me = await ask("GET", "/session", undefined, byItself);
    csrf = me.csrf;
    return me;
  } catch (fault) {
    if (fault.status === 401) return null;
    throw fault;
  }
}
