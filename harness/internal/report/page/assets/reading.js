// Reading values off a panel: with the mouse, a finger or the keyboard.

// readable makes a drawn panel answer. It is given the element that has the drawing,
// the panel and its drawing.
function readable(area, panel, drawn, data) {
  const {svg, shown} = drawn;
  const overlay = makeSVG("g", {class: "crosshair"}), vertical = makeSVG("line"), horizontal = makeSVG("line"), ring = makeSVG("circle", {r: 4.5});
  overlay.append(vertical, horizontal, ring);
  const tip = make("div", {class: "tip", hidden: true});
  area.append(tip);
  let at = null;

  function show(curve, point, loud) {
    at = {curve, point};
    const s = shown[curve], key = data.keys[s.curve.key], x = s.px[point], y = s.py[point], [left, right, bottom, top] = drawn.box;
    for (const [line, ends] of [[vertical, [x, x, top, bottom]], [horizontal, [left, right, y, y]]]) {
      ["x1", "x2", "y1", "y2"].forEach((name, i) => line.setAttribute(name, ends[i]));
    }
    ring.setAttribute("cx", x);
    ring.setAttribute("cy", y);
    ring.style.stroke = key.paint;
    svg.append(overlay);
    svg.classList.add("reads");
    for (const g of all(".curve", svg)) g.classList.toggle("on", g.classList.contains(s.name));
    const r = readingOf(panel, data, s.curve, point);
    fillTip(tip, key, r);
    moveTip(tip, area, drawn, x, y);
    if (loud) announce(r.spoken);
  }

  function hide() {
    at = null;
    overlay.remove();
    svg.classList.remove("reads");
    tip.hidden = true;
  }

  function follow(event) {
    const box = svg.getBoundingClientRect(), scale = drawn.width / box.width;
    const near = nearest(shown, (event.clientX - box.left) * scale, (event.clientY - box.top) * scale);
    if (near) show(near.curve, near.point, false);
  }

  area.addEventListener("pointermove", (event) => { if (event.pointerType !== "touch" || event.buttons) follow(event); });
  area.addEventListener("pointerdown", follow);
  area.addEventListener("pointerleave", (event) => { if (event.pointerType !== "touch" && document.activeElement !== area) hide(); });
  area.addEventListener("blur", hide);
  area.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") return hide();
    const next = step(shown, at, event.key, event.shiftKey);
    if (!next) return;
    event.preventDefault();
    show(next.curve, next.point, true);
  });
  area.addEventListener("focus", () => { if (!at && area.matches(":focus-visible") && shown.length) show(0, shown[0].order.at(-1), true); });
}

// nearest returns the point of the curve that passes closest: of the stretch closest
// to the pointer the end that is nearer along the horizontal.
function nearest(shown, x, y) {
  let best = null, least = Infinity;
  shown.forEach((s, curve) => {
    for (let i = 0; i < s.order.length; i++) {
      const a = s.order[i], b = s.order[Math.min(i + 1, s.order.length - 1)];
      const joined = !s.curve.points && b === a + 1;
      const d = joined ? toSegment(x, y, s.px[a], s.py[a], s.px[b], s.py[b]) : Math.hypot(x - s.px[a], y - s.py[a]);
      if (d >= least) continue;
      least = d;
      best = {curve, point: joined && Math.abs(s.px[b] - x) < Math.abs(s.px[a] - x) ? b : a};
    }
  });
  return best;
}

function toSegment(x, y, x1, y1, x2, y2) {
  const dx = x2 - x1, dy = y2 - y1, length = dx * dx + dy * dy;
  const f = length > 0 ? Math.min(1, Math.max(0, ((x - x1) * dx + (y - y1) * dy) / length)) : 0;
  return Math.hypot(x - x1 - f * dx, y - y1 - f * dy);
}

// step returns where a key leads: left and right along the curve, by ten with shift,
// up and down to the next curve at about the same place.
function step(shown, at, key, far) {
  const keys = {ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1, Home: 0, End: 0};
  if (!(key in keys) || shown.length === 0) return null;
  if (!at) return {curve: 0, point: shown[0].order[0]};
  const s = shown[at.curve], i = s.order.indexOf(at.point), last = s.order.length - 1;
  if (key === "Home") return {curve: at.curve, point: s.order[0]};
  if (key === "End") return {curve: at.curve, point: s.order[last]};
  if (key === "ArrowLeft" || key === "ArrowRight") {
    return {curve: at.curve, point: s.order[Math.min(last, Math.max(0, i + keys[key] * (far ? 10 : 1)))]};
  }
  const curve = (at.curve + keys[key] + shown.length) % shown.length, x = s.px[at.point], other = shown[curve];
  const point = other.order.reduce((a, b) => Math.abs(other.px[b] - x) < Math.abs(other.px[a] - x) ? b : a);
  return {curve, point};
}

// readingOf says what a point stands for.
function readingOf(panel, data, curve, i) {
  const name = data.keys[curve.key].label + (curve.label ? ", " + curve.label : "");
  const x = data.xs[curve.x][i], y = curve.y[i], rows = [[panel.x.label || "x", formatOn(panel.x, x)], [panel.y.label || "y", formatOn(panel.y, y)]];
  let spoken = `${name}: ${panel.x.label} ${spokenOn(panel.x, x)}, ${panel.y.label} ${spokenOn(panel.y, y)}`;
  if (curve.lo && curve.lo[i] != null && curve.hi[i] != null) {
    rows.push(["Band", formatOn(panel.y, curve.lo[i]) + " to " + formatOn(panel.y, curve.hi[i])]);
    spoken += `, band ${spokenOn(panel.y, curve.lo[i])} to ${spokenOn(panel.y, curve.hi[i])}`;
  }
  if (curve.n) {
    rows.push(["Runs", String(curve.n)]);
    spoken += ", " + counted(curve.n, "run", "runs");
  }
  return {name, rows, spoken, x, y};
}

function fillTip(tip, key, reading) {
  const list = make("dl");
  for (const [term, value] of reading.rows) list.append(make("dt", {}, term), make("dd", {}, value));
  const name = make("strong", {}, reading.name);
  name.style.setProperty("--ink", key.paint);
  tip.replaceChildren(name, list);
  tip.dataset.x = reading.x;
  tip.dataset.y = reading.y;
  tip.hidden = false;
}

// moveTip puts the tip beside a point, within the panel.
function moveTip(tip, area, drawn, x, y) {
  const scale = area.clientWidth / drawn.width, px = x * scale, py = y * scale, w = tip.offsetWidth, h = tip.offsetHeight;
  let left = px + 14;
  if (left + w > area.clientWidth) left = px - 14 - w;
  tip.style.left = Math.max(0, Math.min(left, area.clientWidth - w)) + "px";
  tip.style.top = Math.max(-h / 2, Math.min(py - h - 10 < 0 ? py + 14 : py - h - 10, drawn.height * scale - h)) + "px";
}
