"use strict";
// Without this script the page says the same: tables unsorted, theme by the system.

const compare = (a, b) => {
  const [x, y] = [a.dataset.value ?? a.textContent, b.dataset.value ?? b.textContent];
  const numbers = a.dataset.value !== undefined || b.dataset.value !== undefined;
  return numbers ? Number(x) - Number(y) : x.localeCompare(y);
};

function sortBy(header) {
  const table = header.closest("table");
  const column = [...header.parentNode.children].indexOf(header);
  const descending = header.getAttribute("aria-sort") !== "descending";
  const rows = [...table.tBodies[0].rows];
  rows.sort((a, b) => compare(a.cells[column], b.cells[column]) * (descending ? -1 : 1));
  table.tBodies[0].append(...rows);
  for (const other of header.parentNode.children) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", descending ? "descending" : "ascending");
}

for (const header of document.querySelectorAll("table.sortable th")) {
  const button = document.createElement("button");
  button.append(...header.childNodes);
  button.addEventListener("click", () => sortBy(header));
  header.append(button);
}

const theme = document.createElement("button");
const themes = ["system", "light", "dark"];
let chosen = 0;
const showTheme = () => {
  document.documentElement.dataset.theme = themes[chosen];
  theme.textContent = `Theme: ${themes[chosen]}`;
};
theme.addEventListener("click", () => { chosen = (chosen + 1) % themes.length; showTheme(); });
showTheme();
document.querySelector("header").append(theme);

for (const block of document.querySelectorAll("pre.signature")) {
  if (!navigator.clipboard) break;
  const button = document.createElement("button");
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(block.textContent);
    button.textContent = "Copied";
  });
  block.after(button);
}

const reveal = () => {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const folds = target ? target.closest("details") : null;
  if (folds) folds.open = true;
  if (target) target.scrollIntoView({ block: "center" });
};
addEventListener("hashchange", reveal);
reveal();
addEventListener("beforeprint", () => {
  for (const each of document.querySelectorAll("details")) each.open = true;
});
