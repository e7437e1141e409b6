// Search in a rulebook: rows, paragraphs and items that have every word stay in sight.

const box = document.getElementById("search");
const parts = [...document.querySelectorAll("main tbody tr, main p, main li")].map((part) => [part, part.textContent.toLowerCase()]);
const sections = [...document.querySelectorAll("main section")];

function search() {
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  let rows = 0;
  for (const [part, text] of parts) {
    part.hidden = !words.every((word) => text.includes(word));
    if (!part.hidden && part.tagName === "TR") rows += 1;
  }
  for (const section of sections) {
    section.hidden = words.length > 0 && !section.querySelector("tbody tr:not([hidden]), p:not([hidden]), li:not([hidden])");
  }
  document.getElementById("found").textContent = words.length ? `${rows} rows` : "";
}

box.closest("p").hidden = false;
box.addEventListener("input", search);
