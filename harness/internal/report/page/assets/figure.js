// Figures: their panels, legend and switches. What a reader has set is kept by the
// figure's id, also when a live page gets new content.

const looks = new Map();
const figures = new Map();

function lookOf(id) {
  if (!looks.has(id)) looks.set(id, {view: "chart", x: null, y: null, hidden: new Set()});
  return looks.get(id);
}

let coming = null, resizing = null;
function startFigures() {
  coming?.disconnect();
  resizing?.disconnect();
  figures.clear();
  // Panels are drawn when they are about to be seen.
  coming = new IntersectionObserver((entries) => {
    for (const e of entries) {
      if (!e.isIntersecting) continue;
      coming.unobserve(e.target);
      showFigure(e.target);
    }
  }, {rootMargin: "900px 0px"});
  resizing = new ResizeObserver((entries) => {
    for (const e of entries) {
      const f = figures.get(e.target.closest(".figure").id);
      if (f && Math.abs(f.width - e.contentRect.width) > 1 && e.contentRect.width > 0) drawFigure(f);
    }
  });
  for (const node of all(".figure")) if (one(".data", node)) coming.observe(node);
}

function showFigure(node) {
  if (figures.has(node.id)) return;
  const f = {node, data: JSON.parse(one(".data", node).textContent), chart: one(".chart", node), look: lookOf(node.id), width: 0};
  figures.set(node.id, f);
  f.data.keys.forEach((key, i) => {
    f.chart.style.setProperty("--key-" + i, key.paint);
    key.paint = `var(--key-${i})`;
  });
  node.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button?.classList.contains("points")) button.replaceWith(pointsOf(f.data));
    else if (button && setLook(f, button)) update(f);
  });
  update(f);
  resizing.observe(f.chart);
}

// setLook changes what a button of the figure stands for.
function setLook(f, button) {
  const {view, axis, log, key} = button.dataset;
  if (view) {
    f.look.view = view;
  } else if (axis) {
    f.look[axis] = log === "true";
  } else if (key !== undefined) {
    const k = Number(key);
    if (!f.look.hidden.delete(k)) f.look.hidden.add(k);
  } else if (button.classList.contains("reset")) {
    f.look.x = f.look.y = null;
    f.look.hidden.clear();
    one("[data-view]", f.node).focus();
  } else {
    return false;
  }
  return true;
}

function update(f) {
  const {node, look} = f, charted = look.view === "chart";
  node.classList.toggle("charted", charted);
  f.chart.hidden = !charted;
  press(all("[data-view]", node), (b) => b.dataset.view === look.view);
  press(all("[data-key]", node), (b) => !look.hidden.has(Number(b.dataset.key)));
  const panels = f.data.panels.flat().filter((p) => p?.curves?.length);
  for (const axis of ["x", "y"]) {
    const buttons = all(`[data-axis=${axis}]`, node);
    press(buttons, (b) => (b.dataset.log === "true") === (look[axis] ?? null) || look[axis] === null && panels.every((p) => p[axis].log === (b.dataset.log === "true")));
    for (const b of buttons) if (b.dataset.log === "true") b.disabled = !panels.some((p) => hasPositive(f, p, axis));
  }
  one(".reset", node).hidden = look.x === null && look.y === null && look.hidden.size === 0;
  if (charted) drawFigure(f);
}

const hasPositive = (f, panel, axis) => panel.curves.some((c) => (axis === "x" ? f.data.xs[c.x] : c.y).some((v) => v > 0));

const leastWidth = 250, gap = 16;
function drawFigure(f) {
  const width = f.chart.clientWidth;
  if (!width) return;
  f.width = width;
  const across = Math.max(...f.data.panels.map((row) => row.length));
  const columns = Math.max(1, Math.min(across, Math.floor((width + gap) / (leastWidth + gap))));
  const most = across === 1 ? 620 : Infinity;
  const each = Math.min(most, (width - gap * (columns - 1)) / columns);
  f.chart.style.setProperty("--columns", columns);
  const focused = f.chart.contains(document.activeElement) ? all(".panel-area", f.chart).indexOf(document.activeElement) : -1;
  const cells = [];
  f.data.panels.forEach((row, i) => row.forEach((panel, j) => {
    if (!panel) return;
    const cell = drawCell(f, panel, each);
    if (columns === across) {
      cell.style.gridRow = i + 1;
      cell.style.gridColumn = j + 1;
    }
    if (most < Infinity) cell.style.maxWidth = most + "px";
    cells.push(cell);
  }));
  f.chart.replaceChildren(...cells);
  if (focused >= 0) all(".panel-area", f.chart)[focused]?.focus();
}

function drawCell(f, panel, width) {
  const cell = make("div", {class: "panel"});
  if (panel.title || panel.standIn) {
    const title = make("p", {class: "panel-title"}, panel.title ?? "");
    if (panel.standIn && !/stand-in/i.test(panel.title ?? "")) title.append(" ", make("span", {class: "tag alarm-tag"}, "⚠ stand-in data"));
    else if (panel.standIn) title.classList.add("flag");
    cell.append(title);
  }
  if (!panel.curves?.length) {
    cell.append(make("p", {class: "quiet"}, panel.empty || "Nothing to draw"));
    return cell;
  }
  const drawn = drawPanel(panel, f.data, f.look, width);
  const names = drawn.shown.map((s) => f.data.keys[s.curve.key].label);
  const area = make("div", {
    class: "panel-area", tabindex: "0", role: "application", "aria-roledescription": "chart",
    "aria-label": `${panel.title ? panel.title + ": " : ""}${panel.y.label} against ${panel.x.label}; ${[...new Set(names)].join(", ")}. Left and right arrow keys move along a curve, up and down change the curve.`,
  }, drawn.svg);
  readable(area, panel, drawn, f.data);
  cell.append(area);
  return cell;
}
