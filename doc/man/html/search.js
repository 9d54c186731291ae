// The search field: pages whose name or description has all words that were typed, names first. Enter opens the first.
(function () {
  "use strict";
  const field = document.getElementById("search");
  const list = document.getElementById("found");

  // 0: the name is the text, 1: it begins with it, 2: it has all words, 3: name and description do together.
  function rank(entry, text, words) {
    const name = entry[0].toLowerCase();
    const all = name + " " + entry[2].toLowerCase();

    if (name === text || name === "dart_" + text) return 0;
    if (name.startsWith(text) || name.startsWith("dart_" + text)) return 1;
    if (words.every((word) => name.includes(word))) return 2;
    return words.every((word) => all.includes(word)) ? 3 : -1;
  }

  function show() {
    const text = field.value.trim().toLowerCase();
    const words = text.split(/\s+/);
    const found = text === "" ? [] : dartNames
      .map((entry) => ({ entry, rank: rank(entry, text, words) }))
      .filter((one) => one.rank >= 0)
      .sort((a, b) => a.rank - b.rank)
      .slice(0, 30);

    list.innerHTML = found
      .map(({ entry }) => `<li><a href="${entry[1]}">${entry[0]}</a> ${entry[2]}</li>`)
      .join("");
  }

  field.addEventListener("input", show);
  field.addEventListener("keydown", (event) => {
    const first = list.querySelector("a");

    if (event.key === "Enter" && first !== null) location.href = first.href;
    if (event.key === "Escape") { field.value = ""; show(); }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== field) { event.preventDefault(); field.focus(); }
  });
})();
