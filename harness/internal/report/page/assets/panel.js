// A panel of a figure: its curves, drawn by Observable Plot.

const symbols = {disc: "circle", ring: "circle", box: "square", square: "square", pyramid: "triangle", triangle: "triangle", plus: "plus", cross: "times", "bold-cross": "times"};
const filled = new Set(["disc", "box", "pyramid"]);

// drawPanel returns the drawing, and the curves shown with where their points are.
function drawPanel(panel, data, look, width) {
  const height = Math.round(Math.min(Math.max(width * .76, 215), 340));
  const logX = look.x ?? panel.x.log, logY = look.y ?? panel.y.log;
  const curves = (panel.curves ?? []).filter((c) => !look.hidden.has(c.key));
  const lines = (panel.lines ?? []).filter((l) => l.key < 0 || !look.hidden.has(l.key));
  const everyX = (panel.curves ?? []).flatMap((c) => data.xs[c.x]).concat((panel.lines ?? []).map((l) => l.x ?? NaN));
  const everyY = (panel.curves ?? []).flatMap((c) => c.y).concat((panel.lines ?? []).map((l) => l.y ?? NaN));
  const rangeX = rangeOf(panel.x, logX, everyX), rangeY = rangeOf(panel.y, logY, everyY);
  const placeX = placer(panel.x, logX), placeY = placer(panel.y, logY);
  const ticksX = ticksOf(rangeX, logX, width / (logX ? 48 : 75)), ticksY = ticksOf(rangeY, logY, height / 36);
  const labelX = labeller(panel.x, ticksX.major, logX), labelY = labeller(panel.y, ticksY.major, logY);
  const longest = Math.max(0, ...ticksY.major.map((v) => labelY(v).length));

  const grid = {stroke: "currentColor", strokeOpacity: .1};
  const axis = {color: "currentColor", labelArrow: "none", fontSize: 11, tickSize: 5, tickPadding: 3};
  const marks = [
    Plot.gridX(ticksX.major, grid), Plot.gridY(ticksY.major, grid),
    Plot.axisX(ticksX.minor, {...axis, label: null, tickSize: 3, text: null}),
    Plot.axisY(ticksY.minor, {...axis, label: null, tickSize: 3, text: null}),
    Plot.axisX(ticksX.major, {...axis, label: panel.x.label, labelAnchor: "center", labelOffset: 34, tickFormat: labelX}),
    Plot.axisY(ticksY.major, {...axis, label: panel.y.label, labelAnchor: "top", labelOffset: 14 + 6.3 * longest, tickFormat: labelY}),
    Plot.frame({anchor: "bottom", stroke: "currentColor", strokeOpacity: .6}), Plot.frame({anchor: "left", stroke: "currentColor", strokeOpacity: .6}),
  ];
  for (const l of lines) {
    const key = data.keys[l.key], ends = l.x != null ? {x: [l.x, l.x], y: rangeY} : {x: rangeX, y: [l.y, l.y]};
    marks.push(Plot.line([0, 1], {...ends, stroke: key?.paint ?? "currentColor", strokeWidth: key?.width ?? 1.2, strokeDasharray: (key?.dash ?? [1.5, 2]).join(" "), clip: true}));
  }
  // As in the drawing, a dotted line is where values below it are shown.
  if (logY && panel.y.log && panel.y.floor > rangeY[0]) {
    marks.push(Plot.line([0, 1], {x: rangeX, y: [panel.y.floor, panel.y.floor], stroke: "currentColor", strokeOpacity: .6, strokeDasharray: "1.5 2.5", className: "floor"}));
  }
  const shown = curves.map((curve, i) => ({curve, xs: data.xs[curve.x].map(placeX), ys: curve.y.map(placeY), name: "curve-" + i}));
  // Single repeats are the fainter the more of them there are.
  const most = Math.max(0, ...data.keys.map((_, k) => curves.filter((c) => c.thin && c.key === k).length)), faint = .75 * Math.min(1, Math.sqrt(10 / most));
  for (const s of shown) marks.push(...curveMarks(s.curve, data.keys[s.curve.key], s.xs, s.ys, rangeY, placeY, "curve " + s.name, s.curve.thin ? faint : 1));
  const svg = Plot.plot({
    width, height, marginTop: 26, marginRight: 14, marginBottom: 42, marginLeft: 20 + 6.3 * longest,
    style: {background: "transparent", fontFamily: "inherit", fontSize: "11px"},
    x: {type: logX ? "log" : "linear", domain: rangeX}, y: {type: logY ? "log" : "linear", domain: rangeY}, marks,
  });
  svg.setAttribute("aria-hidden", "true");
  const [sx, sy] = [svg.scale("x"), svg.scale("y")];
  for (const s of shown) {
    s.px = s.xs.map((v) => Number.isNaN(v) ? NaN : sx.apply(v));
    s.py = s.ys.map((v) => Number.isNaN(v) ? NaN : sy.apply(v));
    s.order = s.px.map((_, i) => i).filter((i) => !Number.isNaN(s.px[i]) && !Number.isNaN(s.py[i]));
  }
  // Who reads curve by curve comes to the means first.
  shown.sort((a, b) => Boolean(a.curve.thin) - Boolean(b.curve.thin));
  return {svg, width, height, shown: shown.filter((s) => s.order.length > 0), box: [...sx.range, ...sy.range]};
}

function curveMarks(curve, key, xs, ys, rangeY, placeY, className, opacity) {
  const rows = xs.map((_, i) => i), marks = [];
  if (curve.lo && !curve.points) {
    const clamp = (v, fallback) => Number.isNaN(v) ? fallback : v;
    const low = curve.lo.map((v, i) => Number.isNaN(ys[i]) ? NaN : clamp(placeY(v), rangeY[0]));
    const high = curve.hi.map((v, i) => Number.isNaN(ys[i]) ? NaN : clamp(placeY(v), rangeY[0]));
    marks.push(Plot.areaY(rows, {x: xs, y1: low, y2: high, fill: key.paint, fillOpacity: .16, clip: true, className}));
  }
  if (curve.points) {
    const fill = filled.has(key.glyph) ? key.paint : "none";
    marks.push(Plot.dot(rows, {x: xs, y: ys, symbol: symbols[key.glyph] ?? "circle", r: curve.thin ? 1 : 3, stroke: key.paint, fill, strokeWidth: curve.thin ? .8 : 1.4, clip: true, className}));
    return marks;
  }
  const width = curve.thin ? .8 : key.width + .2, line = (part, dash) => Plot.line(rows, {
    x: xs, y: part, stroke: key.paint, strokeWidth: width, strokeOpacity: opacity, strokeDasharray: dash, strokeLinejoin: "round", strokeLinecap: "butt", clip: true, className,
  });
  const dash = curve.thin ? undefined : key.dash?.join(" ");
  if (curve.dashed == null) {
    marks.push(line(ys, dash));
  } else {
    marks.push(line(ys.map((v, i) => xs[i] <= curve.dashed ? v : NaN), dash), line(ys.map((v, i) => xs[i] >= curve.dashed ? v : NaN), "5 3"));
  }
  const single = xs.length === 1 || curve.done ? [xs.length - 1] : [];
  if (single.length) marks.push(Plot.dot(single, {x: [xs.at(-1)], y: [ys.at(-1)], r: curve.thin ? 1.2 : 3, fill: key.paint, clip: true, className}));
  return marks;
}
