// A button for light or dark; the choice is stored in this browser. Without one the system's setting applies.
"use strict";

(() => {
  const root = document.documentElement;
  const isDark = () => (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  try {
    const kept = localStorage.getItem("theme");
    if (kept === "dark" || kept === "light") root.dataset.theme = kept;
  } catch {
    // without storage the choice lasts until the next page
  }
  document.addEventListener("DOMContentLoaded", () => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "theme";
    const label = () => {
      button.textContent = isDark() ? "Light theme" : "Dark theme";
    };
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      label();
      try {
        localStorage.setItem("theme", root.dataset.theme);
      } catch {
        // as above
      }
    });
    label();
    document.querySelector(".masthead-inner").append(button);
  });
})();
