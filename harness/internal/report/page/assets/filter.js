// The filter: what is chosen, kept in the address's fragment as "#place?e=…&q=…",
// and what it hides.

const groups = ["e", "d", "s", "o"];
const chosen = {e: new Set(), d: new Set(), s: new Set(), o: new Set(), q: ""};
let place = "";

const filtering = () => chosen.q !== "" || groups.some((g) => chosen[g].size > 0);
const filteringBy = (...names) => names.some((g) => chosen[g].size > 0);

function readFragment() {
  const text = location.hash.slice(1), cut = text.indexOf("?");
  place = decodeSafely(cut < 0 ? text : text.slice(0, cut));
  const query = new URLSearchParams(cut < 0 ? "" : text.slice(cut + 1));
  for (const g of groups) chosen[g] = new Set(query.getAll(g));
  chosen.q = query.get("q") ?? "";
}

function decodeSafely(text) {
  try { return decodeURIComponent(text); } catch { return text; }
}

function writeFragment() {
  const query = new URLSearchParams();
  for (const g of groups) for (const value of chosen[g]) query.append(g, value);
  if (chosen.q) query.set("q", chosen.q);
  const text = place + (filtering() ? "?" + query : "");
  try {
    history.replaceState(null, "", text ? "#" + text : location.pathname + location.search);
  } catch { /* a frame that may not have an address */ }
}

// What an element is found by: lists of values by group. It is read once.
function facetsOf(node) {
  const query = new URLSearchParams(node.dataset.facets ?? ""), facets = {};
  for (const g of groups) if (query.has(g)) facets[g] = query.getAll(g);
  return facets;
}

let known = new WeakMap();
function about(node) {
  let a = known.get(node);
  if (!a) {
    a = {facets: facetsOf(node), text: null};
    known.set(node, a);
  }
  return a;
}

const texts = {figure: ".figure-head, .caption, .shows, .legend, .alarm", table: "h3, .meta, .notes", experiment: "h2, .made"};
function textOf(node) {
  const a = about(node);
  if (a.text === null) {
    const parts = texts[node.dataset.kind];
    a.text = (parts ? all(parts, node).map((n) => n.textContent).join(" ") : node.textContent).toLowerCase();
    if (node.id) a.text += " " + node.id.toLowerCase();
  }
  return a.text;
}

const terms = () => chosen.q.toLowerCase().split(/\s+/).filter(Boolean);
const says = (node, words) => words.every((w) => textOf(node).includes(w));

// fits reports whether an element has one of the values chosen of each group. What
// an element does not say it has of the element around it, and else fits.
function fits(facets, around, names) {
  return names.every((g) => {
    if (chosen[g].size === 0) return true;
    const have = facets[g]?.length ? facets[g] : around?.[g];
    return have === undefined || have.some((v) => chosen[g].has(v));
  });
}

function applyFilter() {
  const words = terms();
  const counts = {};
  const withClaims = new Set();
  let claims = 0, figures = 0, experiments = 0;
  const allClaims = all(".claim"), allFigures = all(".figure");
  for (const node of allClaims) {
    const {facets} = about(node);
    const others = fits(facets, null, ["e", "d", "s"]) && says(node, words);
    const key = node.dataset.claim + " " + facets.o[0];
    if (others) counts[key] = (counts[key] ?? 0) + 1;
    node.hidden = !(others && fits(facets, null, ["o"]));
    if (node.hidden) continue;
    claims++;
    withClaims.add(facets.e[0]);
  }
  all(".claim-group").forEach(filterGroup);
  for (const kind of all(".claim-kind")) {
    kind.hidden = all(".claim-group", kind).every((g) => g.hidden);
  }
  showFolds();
  for (const section of all(".experiment")) {
    const of = about(section).facets;
    const said = says(section, words), mine = chosen.e.size === 0 || chosen.e.has(of.e[0]);
    let found = false;
    for (const node of all(".figure", section)) {
      const {facets} = about(node);
      const outcome = chosen.o.size === 0 || (facets.o ?? []).some((o) => chosen.o.has(o));
      node.hidden = !(mine && outcome && fits(facets, of, ["d", "s"]) && (said || says(node, words)));
      if (!node.hidden) { found = true; figures++; }
    }
    for (const node of all(".table-block", section)) {
      const {facets} = about(node);
      const outcome = chosen.o.size === 0 || (facets.o ?? []).some((o) => chosen.o.has(o));
      const left = filterRows(node, of, said || says(node, words) ? [] : words);
      node.hidden = !(mine && outcome && fits(facets, of, ["d", "s"]) && left);
      found ||= !node.hidden;
    }
    for (const node of all(".block", section)) {
      if (!one("[data-kind=row]", node)) continue;
      node.hidden = !(mine && filterRows(node, of, said ? [] : words));
      if (!filteringBy("o")) found ||= !node.hidden;
    }
    const plain = said && !filteringBy("d", "s", "o");
    section.hidden = !(mine && (found || plain || withClaims.has(of.e[0])));
    if (!section.hidden) experiments++;
  }
  for (const item of all("#contents [data-of]")) {
    item.hidden = document.getElementById(item.dataset.of)?.closest("[data-kind][hidden]") != null;
  }
  showFilter(counts, claims, allClaims.length, figures, allFigures.length, experiments);
}

// Whether groups of claims were open before the filter opened them, by their ids.
const unfolded = new Map();

// filterGroup hides a group without claims that are left, counts those of others and
// opens them: what a filter finds is seen. What the reader closes then stays closed.
function filterGroup(group) {
  const left = all(".claim", group).filter((c) => !c.hidden);
  group.hidden = left.length === 0;
  countTallies(group, left);
  if (filtering() && !group.hidden && !unfolded.has(group.id)) {
    unfolded.set(group.id, group.open);
    group.open = true;
  } else if (!filtering() && unfolded.has(group.id)) {
    if (!unfolded.get(group.id)) group.open = false;
    unfolded.delete(group.id);
  }
}

function countTallies(node, claims) {
  for (const tally of all(".tallies .outcome", node)) {
    const n = claims.filter((c) => about(c).facets.o[0] === tally.dataset.outcome).length;
    one(".count", tally).textContent = n;
    tally.classList.toggle("zero", n === 0);
  }
}

// filterRows hides rows of tables within a node; it reports whether any are left.
function filterRows(node, around, words) {
  const rows = all("[data-kind=row]", node);
  let left = rows.length === 0;
  for (const row of rows) {
    const {facets} = about(row);
    row.hidden = !(fits(facets, null, ["d", "s"]) && says(row, words));
    left ||= !row.hidden;
  }
  return left;
}

function showFilter(counts, claims, ofClaims, figures, ofFigures, experiments) {
  press(all(".chip"), (chip) => chosen.o.has(chip.dataset.outcome));
  for (const cell of all("#counts td")) {
    const n = counts[cell.dataset.key] ?? 0;
    cell.textContent = n;
    cell.classList.toggle("zero", n === 0);
  }
  let total = chosen.q ? 1 : 0;
  for (const g of groups) {
    total += chosen[g].size;
    const badge = one(`#filter-${g} .badge`);
    if (!badge) continue;
    badge.textContent = chosen[g].size;
    badge.hidden = chosen[g].size === 0;
    for (const box of all(`#filter-${g} input`)) box.checked = chosen[g].has(box.value);
  }
  const badge = one("#filter-badge");
  badge.textContent = total;
  badge.hidden = total === 0;
  const search = one("#search");
  if (search.value !== chosen.q) search.value = chosen.q;
  one("#clear").hidden = !filtering();
  one("#shown").textContent = filtering() ? (ofClaims > 0 ? `${claims} of ${counted(ofClaims, "claim", "claims")}, ` : "") + `${figures} of ${counted(ofFigures, "figure", "figures")}` : "";
  const none = one("#no-claims");
  if (none) none.hidden = claims > 0;
  one("#nothing").hidden = experiments > 0 || !filtering();
  if (experiments === 0 && none) none.hidden = true;
}

function changeFilter() {
  writeFragment();
  applyFilter();
}

function clearFilter() {
  for (const g of groups) chosen[g].clear();
  chosen.q = "";
  changeFilter();
}

function startFilter() {
  const form = one("#filters");
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", (event) => {
    const box = event.target;
    if (box.type !== "checkbox") return;
    if (box.checked) chosen[box.name].add(box.value); else chosen[box.name].delete(box.value);
    changeFilter();
  });
  let waiting = 0;
  one("#search").addEventListener("input", (event) => {
    chosen.q = event.target.value.trim() === "" ? "" : event.target.value;
    clearTimeout(waiting);
    waiting = setTimeout(changeFilter, 120);
  });
  document.addEventListener("click", (event) => {
    const chip = event.target.closest(".chip");
    if (chip) {
      const o = chip.dataset.outcome;
      if (!chosen.o.delete(o)) chosen.o.add(o);
      changeFilter();
    }
    if (event.target.closest(".clear")) {
      clearFilter();
      one("#search").focus({preventScroll: true});
    }
    for (const menu of all(".filter[open]")) if (!menu.contains(event.target)) menu.open = false;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const menu of all(".filter[open]")) {
      menu.open = false;
      if (menu.contains(document.activeElement)) one("summary", menu).focus();
    }
  });
}
