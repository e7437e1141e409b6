// Files to be kept. A refusal is shown on the page, not on a page of its own.

export async function fetchFile(address, told) {
  told.textContent = "";
  let answer;
  try {
    answer = await fetch(address);
  } catch {
    told.textContent = "Could not load: the table does not answer.";
    return;
  }
  if (answer.ok) {
    const newest = answer.headers.get("x-feltd-newest");
    if (newest) told.textContent = `The file is not complete: it has the newest ${newest} alone. Export a shorter time for earlier ones.`;
    await answer.body.cancel(); // the browser asks for it again, to write it as it comes
    location.assign(address);
    return;
  }
  const said = await answer.json().catch(() => null);
  told.textContent = `Could not load: ${(said && said.detail) || `the table answers ${answer.status}`}.`;
}
