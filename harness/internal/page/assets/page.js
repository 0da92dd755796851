"use strict";
// Figures are drawn one after another once the page is loaded.

const symbols = {
  box: "square", square: "square", pyramid: "triangle", triangle: "triangle", plus: "plus", cross: "times",
};
const filled = ["disc", "box", "pyramid"];

// clamped returns the value that is drawn for v. On a logarithmic axis that is at least the floor or, without a floor,
// a value below the lower end of the axis.
function clamped(axis, v) {
  return axis.log ? Math.max(v, axis.floor ?? axis.min / 10) : v;
}

// textOf formats a value of an axis with four significant digits.
function textOf(axis, v) {
  return axis.percent ? `${Number((100 * v).toPrecision(4))} %` : String(Number(v.toPrecision(4)));
}

// tipText describes point i of a curve.
function tipText(panel, label, curve, i) {
  const lines = [curve.label ? `${label}, ${curve.label}` : label];
  lines.push(`${panel.x.label}: ${textOf(panel.x, curve.x[i])}`, `${panel.y.label}: ${textOf(panel.y, curve.y[i])}`);
  if (curve.lo) lines.push(`band: ${textOf(panel.y, curve.lo[i])} to ${textOf(panel.y, curve.hi[i])}`);
  if (curve.n > 1) lines.push(`${curve.n} runs`);
  return lines.join("\n");
}

function axisMarks(panel) {
  const marks = [Plot.ruleX([panel.x.min]), Plot.ruleY([panel.y.min])];
  for (const [axis, grid, name] of [[Plot.axisX, Plot.gridX, "x"], [Plot.axisY, Plot.gridY, "y"]]) {
    const ticks = panel[name + "Ticks"] ?? [];
    const major = ticks.filter((t) => t.text), minor = ticks.filter((t) => !t.text);
    const at = major.map((t) => t.at), texts = new Map(major.map((t) => [t.at, t.text]));
    marks.push(
      grid(at),
      axis(minor.map((t) => t.at), {label: null, text: null, tickSize: 3}),
      axis(at, {tickFormat: (v) => texts.get(v), label: panel[name].label, labelArrow: "none", labelAnchor: "center"}),
    );
  }
  return marks;
}

function curveMarks(panel, curve, key) {
  const points = curve.x.map((x, i) => ({
    x: clamped(panel.x, x), y: clamped(panel.y, curve.y[i]), tip: tipText(panel, key.label, curve, i),
    lo: curve.lo && clamped(panel.y, curve.lo[i]), hi: curve.lo && clamped(panel.y, curve.hi[i]),
  }));
  const style = {x: "x", y: "y", stroke: key.color, clip: true};
  const marks = [];
  if (curve.points) {
    const symbol = symbols[key.glyph] ?? "circle", fill = filled.includes(key.glyph) ? key.color : "none";
    marks.push(Plot.dot(points, {...style, r: curve.thin ? 1 : 3, symbol, fill}));
  } else {
    if (curve.lo) {
      marks.push(Plot.areaY(points, {x: "x", y1: "lo", y2: "hi", fill: key.color, fillOpacity: .15, clip: true}));
    }
    Object.assign(style, curve.thin ? {strokeWidth: .6, strokeOpacity: .4} : {strokeWidth: key.width + .2});
    const dash = curve.thin ? undefined : key.dash?.join(" ");
    // The curve is dashed from curve.dashed on. The tolerance is for the rounding of points.
    const from = curve.dashed === undefined ? -1 : points.findIndex((p) => p.x >= curve.dashed * (1 - 1e-4));
    marks.push(Plot.line(from < 0 ? points : points.slice(0, from + 1), {...style, strokeDasharray: dash}));
    if (from >= 0) marks.push(Plot.line(points.slice(from), {...style, strokeDasharray: "5 3"}));
    if (curve.done) marks.push(Plot.dot(points.slice(-1), {...style, r: 2.5, fill: key.color}));
  }
  return {points, marks};
}

function drawPanel(panel, keys, width) {
  const cell = document.createElement("div"), title = document.createElement("h4");
  title.textContent = panel.title ?? "";
  title.classList.toggle("alarm", Boolean(panel.stand_in));
  cell.append(title);
  if (!panel.curves?.length) {
    cell.append(panel.empty ?? "no data");
    return cell;
  }
  const curves = panel.curves.map((c) => curveMarks(panel, c, keys.get(c.key)));
  const lines = (panel.lines ?? []).map((l) => {
    const {color, dash} = keys.get(l.key) ?? {color: "#303030", dash: [1, 2.2]};
    const style = {stroke: color, strokeDasharray: dash?.join(" ")};
    return l.x === undefined ? Plot.ruleY([l.y], style) : Plot.ruleX([l.x], style);
  });
  const longest = Math.max(0, ...(panel.yTicks ?? []).map((t) => t.text?.length ?? 0));
  const nearest = Plot.pointer({x: "x", y: "y", title: "tip", maxRadius: Infinity});
  const tip = Plot.tip(curves.flatMap((c) => c.points), nearest);
  cell.append(Plot.plot({
    width, height: Math.min(340, Math.max(220, .75 * width)), marginLeft: 32 + 6.5 * longest, marginBottom: 40,
    style: {fontSize: "11px", overflow: "visible"},
    x: {type: panel.x.log ? "log" : "linear", domain: [panel.x.min, panel.x.max]},
    y: {type: panel.y.log ? "log" : "linear", domain: [panel.y.min, panel.y.max]},
    marks: [axisMarks(panel), lines, curves.map((c) => c.marks), tip],
  }));
  return cell;
}

function drawFigure(panels) {
  const data = JSON.parse(panels.nextElementSibling.textContent);
  const keys = new Map(data.keys.map((k) => [k.key, k]));
  const narrow = panels.clientWidth < 500;
  const columns = narrow ? 1 : Math.max(...data.panels.map((row) => row.length));
  panels.style.setProperty("--columns", columns);
  const width = Math.min(620, Math.max(240, panels.clientWidth / columns - 8));
  data.panels.forEach((row, i) => row.forEach((panel, j) => {
    const cell = drawPanel(panel, keys, width);
    if (!narrow) cell.style.gridArea = `${i + 1} / ${j + 1}`;
    panels.append(cell);
  }));
}

const waiting = [...document.querySelectorAll(".panels")];

function drawNext() {
  if (!waiting.length) return;
  drawFigure(waiting.shift());
  setTimeout(drawNext);
}

addEventListener("load", drawNext);
addEventListener("beforeprint", () => { while (waiting.length) drawFigure(waiting.shift()); });

// The filter selects claims by outcome and chapter.
const form = document.getElementById("filter");

function filter() {
  const {outcome, chapter} = form.elements;
  let total = 0;
  for (const group of document.querySelectorAll(".group")) {
    let shown = 0;
    for (const claim of group.querySelectorAll(".claim")) {
      const wanted = !outcome.value || claim.dataset.outcome === outcome.value;
      claim.hidden = !wanted || Boolean(chapter.value && group.dataset.chapter !== chapter.value);
      shown += !claim.hidden;
    }
    group.hidden = shown === 0;
    total += shown;
    if (outcome.value || chapter.value) group.open = true;
  }
  form.querySelector("output").textContent = total + (total === 1 ? " claim" : " claims");
}

// openTarget opens the claim of a link and the groups that contain it.
function openTarget() {
  const target = document.getElementById(location.hash.slice(1));
  if (!target) return;
  if (target.closest("[hidden]")) {
    form.reset();
    filter();
  }
  for (let d = target.closest("details"); d; d = d.parentElement.closest("details")) d.open = true;
  target.scrollIntoView();
}

if (form) {
  form.addEventListener("change", filter);
  filter();
}
addEventListener("hashchange", openTarget);
openTarget();
