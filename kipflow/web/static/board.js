// Optional conveniences; every page works without them.
"use strict";

// The page that frames this one, if it has the same origin: Airflow's UI.
function findFrame() {
  if (window.parent === window) return null;
  try {
    return window.parent.document;
  } catch {
    return null;
  }
}

// Airflow lets its user choose light or dark apart from the system: follow that choice.
function followTheme(frame) {
  const root = frame.documentElement;
  const copy = () => {
    const theme = root.dataset.theme || (root.classList.contains("dark") ? "dark" : root.classList.contains("light") ? "light" : "");
    if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
  };
  copy();
  new MutationObserver(copy).observe(root, { attributes: true, attributeFilter: ["class", "data-theme"] });
}

// Airflow's frame allows no new windows, and archives refuse to be framed: a link to a mail would go nowhere.
// The framing page, of the same origin, opens it in a new tab instead. Only checked http(s) links carry "out".
function openOutside(frame) {
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a.out") : null;
    if (!link || event.defaultPrevented || event.button !== 0) return;
    const copy = frame.createElement("a");
    copy.href = link.href;
    copy.target = "_blank";
    copy.rel = "noopener noreferrer";
    frame.body.append(copy);
    copy.click();
    copy.remove();
    event.preventDefault();
  });
}

// Reload the page's content now and then, unless the reader is busy with it.
function keepFresh(main) {
  const isTyped = (field) => field.options
    ? [...field.options].some((option) => option.selected !== option.defaultSelected)
    : field.value !== field.defaultValue || field.checked !== field.defaultChecked;
  const isBusy = () =>
    [...main.querySelectorAll(".settle :is(input, select, textarea)")].some(isTyped) || document.hidden || String(document.getSelection()) !== "" || (main.contains(document.activeElement) && document.activeElement !== main);

  let tag = ""; // ETag of the shown content once fetched here: the server sends nothing that is shown already
  async function refresh() {
    if (isBusy()) return;
    try {
      const headers = tag ? { "If-None-Match": tag } : {};
      const answer = await fetch(location.href, { credentials: "same-origin", cache: "no-store", headers });
      if (answer.status === 304) return main.querySelector(".stale")?.remove();
      if (answer.status === 401) return say("You are signed out; what you see may be old.", "Sign in again");
      if (!answer.ok) throw new Error(String(answer.status));
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
      const next = fresh.getElementById("content");
      if (!next || isBusy()) return;
      for (const open of main.querySelectorAll("details[open][id]")) {
        const same = next.querySelector("#" + CSS.escape(open.id));
        if (same) same.open = true;
      }
      main.replaceChildren(...next.childNodes);
      tag = answer.headers.get("etag") ?? "";
      document.querySelector(".as-of")?.replaceWith(fresh.querySelector(".as-of"));
    } catch {
      say("The board can't be reached just now; what you see may be old.");
    }
  }
  // Reloading the page itself sends a signed-out reader to the sign-in and back.
  function say(text, offer) {
    const before = main.querySelector(".stale");
    if (before?.firstChild.data === text) return; // shown already: screen readers must not repeat it
    before?.remove();
    const note = document.createElement("p");
    note.className = "stale";
    note.setAttribute("role", "status");
    note.textContent = text;
    if (offer) {
      const link = document.createElement("a");
      link.href = location.href;
      link.textContent = offer;
      note.append(" ", link);
    }
    main.append(note);
  }
  setInterval(refresh, Number(main.dataset.refresh) * 1000);
}

// Alt+N goes to the next question (or follows the link to it), Alt and a digit choose one of its outcomes; Enter confirms.
function walkQuestions() {
  document.addEventListener("keydown", (event) => {
    if (!event.altKey || event.ctrlKey || event.metaKey) return;
    const forms = [...document.querySelectorAll("form.settle")].filter((form) => form.checkVisibility());
    const here = forms.indexOf(document.activeElement?.closest("form.settle"));
    const outcomes = here < 0 ? [] : [...forms[here].querySelectorAll("button:not([hidden])")];
    const isNext = event.code === "KeyN";
    const next = document.querySelector("a[data-next]") ?? forms[(here + 1) % forms.length]?.querySelector("input:not([type=hidden]), textarea, select, button:not([hidden])");
    const goal = isNext ? next : outcomes[Number(/^Digit([1-9])$/.exec(event.code)?.[1]) - 1];
    if (!goal) return;
    event.preventDefault();
    goal.focus();
    if (isNext && goal instanceof HTMLAnchorElement) goal.click();
  });
}

walkQuestions();
const frame = findFrame();
if (frame) {
  followTheme(frame);
  openOutside(frame);
}
const main = document.querySelector("main[data-refresh]");
if (main) keepFresh(main);
