// Sorts and filters the list; the choices are in the address. Without script the list is complete, newest number first.
"use strict";

const table = document.getElementById("list");
const body = table.tBodies[0];
const rows = Array.from(body.rows, (row) => ({
  row,
  text: row.textContent.toLowerCase(),
  number: Number(row.cells[0].textContent.replace(/^.*?(\d+)\s*$/, "$1")),
  title: row.cells[1].textContent.toLowerCase(),
  stage: row.cells[2].querySelector(".stage").textContent,
  since: row.cells[3].textContent,
  activity: row.cells[4].textContent,
}));
const stages = [...new Set(rows.map((entry) => entry.stage))];

function makeField(label, field) {
  const line = document.createElement("p");
  const name = document.createElement("label");
  name.textContent = label;
  name.htmlFor = field.id;
  line.append(name, field);
  return line;
}

function makeFilter() {
  const form = document.createElement("form");
  form.className = "filter";
  form.setAttribute("role", "search");
  form.addEventListener("submit", (event) => event.preventDefault());
  const query = document.createElement("input");
  Object.assign(query, { type: "search", id: "q", maxLength: 200, autocomplete: "off" });
  const stage = document.createElement("select");
  stage.id = "stage";
  stage.append(new Option("All stages", ""), ...stages.map((name) => new Option(name, name)));
  form.append(makeField("Number, title or author", query), makeField("Stage", stage));
  table.before(form);
  return { query, stage };
}

const filter = makeFilter();
const heads = Array.from(table.querySelectorAll("th[data-sort]"));
let sort = "number";
let descending = true;

function readAddress() {
  const chosen = new URLSearchParams(location.search);
  filter.query.value = chosen.get("q") || "";
  filter.stage.value = stages.includes(chosen.get("stage")) ? chosen.get("stage") : "";
  sort = heads.some((head) => head.dataset.sort === chosen.get("sort")) ? chosen.get("sort") : "number";
  descending = chosen.has("order") ? chosen.get("order") !== "asc" : sort !== "title" && sort !== "stage";
}

function writeAddress() {
  const chosen = new URLSearchParams();
  if (filter.query.value) chosen.set("q", filter.query.value);
  if (filter.stage.value) chosen.set("stage", filter.stage.value);
  if (sort !== "number" || !descending) {
    chosen.set("sort", sort);
    chosen.set("order", descending ? "desc" : "asc");
  }
  const query = chosen.toString();
  history.replaceState(null, "", query ? `?${query}` : location.pathname);
}

function show() {
  const words = filter.query.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const entry of rows) {
    const fits = (!filter.stage.value || entry.stage === filter.stage.value) && words.every((word) => entry.text.includes(word));
    entry.row.hidden = !fits;
    shown += fits ? 1 : 0;
  }
  const way = descending ? -1 : 1;
  const order = (a, b) => (a[sort] < b[sort] ? -way : a[sort] > b[sort] ? way : b.number - a.number);
  body.append(...rows.sort(order).map((entry) => entry.row));
  document.getElementById("shown").textContent = shown === rows.length ? shown : `${shown} of ${rows.length}`;
  for (const head of heads) {
    if (head.dataset.sort === sort) head.setAttribute("aria-sort", descending ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
  }
}

for (const head of heads) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = head.textContent;
  button.addEventListener("click", () => {
    descending = head.dataset.sort === sort ? !descending : !["title", "stage"].includes(head.dataset.sort);
    sort = head.dataset.sort;
    writeAddress();
    show();
  });
  head.replaceChildren(button);
}
for (const field of [filter.query, filter.stage]) {
  field.addEventListener("input", () => {
    writeAddress();
    show();
  });
}
readAddress();
show();
