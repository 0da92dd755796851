// A live page asks the server for news, and takes its new content without losing
// what the reader has opened, set and scrolled to.

const pause = 2000;

function startLive() {
  const root = document.documentElement;
  if (!("live" in root.dataset)) return;
  const line = one("#live-state");
  line.hidden = false;
  line.textContent = "live";
  const ask = async () => {
    try {
      if (!document.hidden) {
        const state = await askState();
        if (state !== root.dataset.state) await renew();
        line.classList.remove("lost");
        line.textContent = "live";
      }
    } catch {
      line.classList.add("lost");
      line.textContent = "no answer; trying again";
    }
    setTimeout(ask, pause);
  };
  setTimeout(ask, pause);
}

async function get(url) {
  const answer = await fetch(url, {cache: "no-store", signal: AbortSignal.timeout(60000)});
  if (!answer.ok) throw new Error(String(answer.status));
  return answer.text();
}

// askState returns the name of the state of the records.
async function askState() {
  const text = (await get("state")).trim();
  return text.startsWith("{") ? String(JSON.parse(text).state) : text;
}

async function renew() {
  const next = new DOMParser().parseFromString(await get(location.pathname + location.search), "text/html");
  const report = one("#report", next), form = one("#filters", next);
  if (!report || !form) throw new Error("no report");
  const opened = new Map(all("#report details").map((d) => [nameOf(d), d.open]));
  const focus = document.activeElement?.id, anchor = topmost(), menus = all(".filter[open]").map((m) => m.id);
  const offset = anchor && document.getElementById(anchor).getBoundingClientRect().top;

  one("#report").replaceWith(document.adoptNode(report));
  for (const menu of all(".filter", form)) {
    const old = document.getElementById(menu.id);
    if (!old) one("#clear").before(document.adoptNode(menu));
    else one("fieldset", old).replaceWith(document.adoptNode(one("fieldset", menu)));
  }
  for (const id of menus) document.getElementById(id).open = true;
  one(".brand").textContent = one(".brand", next).textContent;
  document.title = next.title;
  document.documentElement.dataset.state = next.documentElement.dataset.state;

  for (const d of all("#report details")) {
    const was = opened.get(nameOf(d));
    if (was !== undefined) d.open = was;
  }
  known = new WeakMap();
  startContent();
  const target = anchor && document.getElementById(anchor);
  if (target) hold(target, offset);
  if (focus && !document.activeElement?.id) document.getElementById(focus)?.focus({preventScroll: true});
}

// nameOf names a details element by the element with an id that it is in.
function nameOf(details) {
  if (details.id) return details.id;
  const owner = details.parentElement.closest("[id]");
  return owner.id + " " + all("details", owner).indexOf(details);
}

// topmost returns the id of the element at the top of the window.
function topmost() {
  const header = one(".top").offsetHeight;
  let best = null;
  for (const node of all("#content [id]")) {
    if (!node.checkVisibility()) continue;
    if (node.getBoundingClientRect().top <= header + 24) best = node.id;
    else break;
  }
  return best;
}
