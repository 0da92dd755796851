// startContent makes what is in the report answer; it is called anew for new content.
function startContent() {
  startFolds();
  applyFilter();
  startFigures();
  watchPlace();
}

readFragment();
startFilter();
startNav();
startContent();
if (place) goTo(place);

// Paper cannot be opened: all details are while it is printed, but for those in rows
// of tables, what is behind the rows of claims, and specifications.
let closed = [];
addEventListener("beforeprint", () => {
  closed = all("#report details:not([open])").filter((d) => !d.closest(".grid, .claim, .spec"));
  for (const d of closed) d.open = true;
});
addEventListener("afterprint", () => {
  for (const d of closed) d.open = false;
});
