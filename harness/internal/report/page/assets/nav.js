// Getting about: places within the page, the contents, the theme.

// goTo scrolls to an element and moves the focus there. If the filter hides it, the
// filter is cleared.
function goTo(id) {
  const target = document.getElementById(id);
  if (!target) return false;
  if (target.closest("[data-kind][hidden]")) {
    clearFilter();
    announce("The filter was cleared to show " + id);
  }
  for (let d = target.closest("details"); d; d = d.parentElement.closest("details")) d.open = true;
  if (target.localName === "details") target.open = true;
  place = id;
  writeFragment();
  hold(target, one(".top").offsetHeight + 16);
  target.focus({preventScroll: true});
  for (const old of all(".arrived")) old.classList.remove("arrived");
  target.classList.add("arrived");
  return true;
}

// hold scrolls so that the top of an element is so far below that of the window, and
// keeps it there while figures are drawn above it, until the reader scrolls.
let release = () => {};
function hold(target, top) {
  release();
  const put = () => scrollBy({top: target.getBoundingClientRect().top - top, behavior: "instant"});
  const observer = new ResizeObserver(put), own = ["wheel", "touchstart", "pointerdown", "keydown"];
  const timer = setTimeout(() => release(), 2000);
  const stop = release = () => {
    observer.disconnect();
    clearTimeout(timer);
    for (const name of own) removeEventListener(name, stop);
    release = () => {};
  };
  for (const name of own) addEventListener(name, stop, {passive: true});
  put();
  observer.observe(one("#content"));
}

function startNav() {
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    if (goTo(decodeSafely(link.getAttribute("href").slice(1)))) {
      event.preventDefault();
      openMenu(false);
    }
  });
  addEventListener("hashchange", () => {
    readFragment();
    applyFilter();
    if (place) goTo(place);
  });

  const menu = one("#menu");
  menu.addEventListener("click", () => openMenu(menu.getAttribute("aria-expanded") !== "true"));
  const toggle = one("#filter-toggle");
  toggle.addEventListener("click", () => {
    const open = one("#filters").classList.toggle("open");
    toggle.setAttribute("aria-expanded", String(open));
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") openMenu(false);
  });
  document.addEventListener("click", (event) => {
    if (!event.target.closest("#contents, #menu")) openMenu(false);
  });

  const header = one(".top");
  new ResizeObserver(() => document.documentElement.style.setProperty("--header", header.offsetHeight + "px")).observe(header);
  startTheme();
}

// The button that opens or closes all groups of claims that the filter leaves.
function everyGroupIsOpen() {
  return all(".claim-group").every((g) => g.open || g.hidden);
}

function showFolds() {
  const button = one("#fold-claims");
  if (!button) return;
  button.textContent = everyGroupIsOpen() ? "Close all" : "Open all";
  button.setAttribute("aria-expanded", String(everyGroupIsOpen()));
}

function startFolds() {
  one("#fold-claims")?.addEventListener("click", () => {
    const open = !everyGroupIsOpen();
    for (const g of all(".claim-group")) if (!g.hidden) g.open = open;
    showFolds();
  });
  for (const g of all(".claim-group")) g.addEventListener("toggle", showFolds);
}

function openMenu(open) {
  const menu = one("#menu"), was = menu.getAttribute("aria-expanded") === "true";
  if (was === open) return;
  one("#contents").classList.toggle("open", open);
  menu.setAttribute("aria-expanded", String(open));
  if (open) one("#contents a").focus({preventScroll: true}); else if (one("#contents").contains(document.activeElement)) menu.focus();
}

// watchPlace marks in the contents what is on screen.
let watcher = null;
function watchPlace() {
  watcher?.disconnect();
  const onScreen = new Set();
  watcher = new IntersectionObserver((entries) => {
    for (const e of entries) if (e.isIntersecting) onScreen.add(e.target); else onScreen.delete(e.target);
    const tops = [...onScreen].sort((a, b) => a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1);
    const current = tops.at(-1)?.id;
    for (const link of all("#contents a")) {
      if (current && link.getAttribute("href") === "#" + current) link.setAttribute("aria-current", "location");
      else link.removeAttribute("aria-current");
    }
  }, {rootMargin: "-20% 0px -70% 0px"});
  for (const link of all("#contents a")) {
    const target = document.getElementById(link.getAttribute("href").slice(1));
    if (target) watcher.observe(target);
  }
}

function startTheme() {
  const root = document.documentElement, button = one("#theme"), order = ["system", "light", "dark"];
  const show = () => { one("#theme-name").textContent = root.dataset.theme ?? "system"; };
  button.addEventListener("click", () => {
    const next = order[(order.indexOf(root.dataset.theme ?? "system") + 1) % order.length];
    if (next === "system") delete root.dataset.theme; else root.dataset.theme = next;
    try {
      if (next === "system") localStorage.removeItem("stochopt-theme"); else localStorage.setItem("stochopt-theme", next);
    } catch { /* no storage: not remembered */ }
    show();
  });
  show();
}
