// Files to be kept. What cannot be had is told on the page, in place of a page of its own.

export async function fetchFile(address, told) {
  told.textContent = "";
  let answer;
  try {
    answer = await fetch(address);
  } catch {
    told.textContent = "Not to be had: the table does not answer.";
    return;
  }
  if (answer.ok) {
    await answer.body.cancel(); // the browser asks for it again, to write it as it comes
    location.assign(address);
    return;
  }
  const said = await answer.json().catch(() => null);
  told.textContent = `Not to be had: ${(said && said.detail) || `the table answers ${answer.status}`}.`;
}
