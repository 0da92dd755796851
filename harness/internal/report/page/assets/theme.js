(function () {
"use strict";
var root = document.documentElement;
root.classList.add("js");
try {
  var theme = localStorage.getItem("stochopt-theme");
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
} catch (e) { /* no storage: the system's colours */ }
})();
