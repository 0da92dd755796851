// Numbers as people read them.

const superscript = (n) => String(n).replace("-", "⁻").replace(/\d/g, (d) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[d]);

// format writes four significant digits, powers of ten raised, as the tables of the
// page do.
function format(v) {
  if (v === 0) return "0";
  const size = Math.abs(v);
  if (size >= 1e-3 && size < 1e6) {
    const [whole, rest] = String(Number.isInteger(v) ? v : Number(v.toPrecision(4))).replace("-", "−").split(".");
    return whole.replace(/\B(?=(\d{3})+$)/g, ",") + (rest ? "." + rest : "");
  }
  const [mantissa, exponent] = v.toExponential(3).split("e");
  return String(Number(mantissa)).replace("-", "−") + "·10" + superscript(Number(exponent));
}

// formatOn writes a value of an axis, spoken for ears.
const formatOn = (axis, v) => axis.percent ? format(100 * v) + "\u00a0%" : format(v);
function spokenOn(axis, v) {
  const x = axis.percent ? 100 * v : v;
  return String(Number(x.toPrecision(4))) + (axis.percent ? " percent" : "");
}

// labeller returns what labels the ticks of an axis. On a logarithmic axis with large
// or small numbers all are powers of ten.
function labeller(axis, ticks, log) {
  const powers = log && !axis.percent && ticks.some((v) => v < 1e-3 || v >= 1e5) && ticks.every((v) => Number.isInteger(Math.log10(v)));
  return (v) => powers ? "10" + superscript(Math.round(Math.log10(v))) : tick(axis, v);
}

// tick writes the label of a tick, which is a round number.
function tick(axis, v) {
  const x = Number((axis.percent ? 100 * v : v).toPrecision(10));
  if (axis.percent) return format(x) + " %";
  const size = Math.abs(x);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) {
    const [mantissa, exponent] = x.toExponential().split("e");
    const power = "10" + superscript(Number(exponent));
    return mantissa === "1" ? power : mantissa.replace("-", "−") + "·" + power;
  }
  return format(x);
}
