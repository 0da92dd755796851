// Axes: their ranges, and where their ticks are.

// rangeOf returns the range of an axis: that of the drawing, or if it is switched
// between linear and logarithmic, that of the values.
function rangeOf(axis, log, values) {
  if (log === axis.log) return [axis.min, axis.max];
  let low = Infinity, high = -Infinity;
  for (const v of values) {
    if (!Number.isFinite(v) || log && v <= 0) continue;
    low = Math.min(low, v);
    high = Math.max(high, v);
  }
  if (low > high) return log ? [1, 10] : [0, 1];
  if (log) return low === high ? [low / 2, high * 2] : [low / (high / low) ** .03, high * (high / low) ** .03];
  if (low > 0) low = 0;
  const pad = (high - low || Math.abs(high) || 1) * .04;
  return [low < 0 ? low - pad : low, high + pad];
}

// placer returns what maps a value to where an axis shows it; NaN where it does not.
function placer(axis, log) {
  if (!log) return (v) => v ?? NaN;
  const floor = axis.log ? axis.floor ?? 0 : 0;
  return (v) => v == null ? NaN : v > floor ? v : floor > 0 ? floor : NaN;
}

// ticksOf returns ticks with labels, and those without, about one for each length of
// room.
function ticksOf([low, high], log, room) {
  const wanted = Math.max(2, Math.floor(room));
  if (!log) return {major: linearTicks(low, high, wanted), minor: []};
  const from = Math.ceil(Math.log10(low) - 1e-9), to = Math.floor(Math.log10(high) + 1e-9);
  if (to - from < 1) {
    const few = linearTicks(low, high, wanted).filter((v) => v > 0);
    return {major: few, minor: []};
  }
  const stride = Math.max(1, Math.ceil((to - from + 1) / wanted));
  const major = [], minor = [];
  for (let e = from; e <= to; e++) {
    (((e % stride) + stride) % stride === 0 ? major : minor).push(Number("1e" + e));
  }
  if (stride === 1 && to - from <= 4) {
    for (let e = from - 1; e <= to; e++) {
      for (let m = 2; m < 10; m++) {
        const v = m * Number("1e" + e);
        if (v >= low && v <= high) (to - from === 1 && (m === 2 || m === 5) && wanted >= 4 ? major : minor).push(v);
      }
    }
    major.sort((a, b) => a - b);
  }
  return {major, minor};
}

function linearTicks(low, high, wanted) {
  const span = high - low;
  if (!(span > 0)) return [low];
  let step = 10 ** Math.floor(Math.log10(span / wanted));
  for (const m of [1, 2, 5, 10]) {
    if (span / (m * step) <= wanted) { step *= m; break; }
  }
  const ticks = [];
  // Values that are all but equal have no whole multiples between them to count.
  const first = Math.ceil(low / step - 1e-9);
  if (!Number.isSafeInteger(first + 100)) return [low, high];
  for (let i = first; i * step <= high + 1e-9 * span; i++) ticks.push(Number((i * step).toPrecision(12)));
  return ticks;
}
