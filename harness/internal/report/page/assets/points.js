// Every point of a figure as a table, which is made when somebody asks for it.

function pointsOf(data) {
  const head = ["Panel", "Curve", "x", "y", "Band"].map((name, i) => make("th", {scope: "col", class: i > 1 && "num"}, name));
  const body = make("tbody");
  for (const panel of data.panels.flat()) {
    for (const curve of panel?.curves ?? []) {
      const name = data.keys[curve.key].label + (curve.label ? ", " + curve.label : "");
      curve.y.forEach((y, i) => {
        const x = data.xs[curve.x][i], band = curve.lo && [curve.lo[i], curve.hi[i]];
        const cells = [x == null ? "" : formatOn(panel.x, x), y == null ? "" : formatOn(panel.y, y), band?.every((v) => v != null) ? band.map((v) => formatOn(panel.y, v)).join(" to ") : ""];
        body.append(make("tr", {}, make("td", {}, panel.title ?? ""), make("th", {scope: "row"}, name), ...cells.map((text) => make("td", {class: "num"}, text))));
      });
    }
  }
  const table = make("table", {class: "grid"}, make("caption", {class: "sr-only"}, "Every point"), make("thead", {}, make("tr", {}, ...head)), body);
  return make("div", {class: "scroll", role: "group", tabindex: "0", "aria-label": "Every point"}, table);
}
