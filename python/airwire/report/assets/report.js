// Draws the report's charts when they come into view, and makes its table sortable. Colours are CSS variables inside
// the SVG, so that light, dark and print need no second drawing.
"use strict";
(() => {
  const parsed = new Map();
  const contents = new Map();
  const json = (id) => {
    if (!parsed.has(id)) {
      parsed.set(id, JSON.parse(contents.get(id) ?? document.getElementById(id).textContent));
    }
    return parsed.get(id);
  };

  // Everything is unpacked before the first chart is due: printing leaves no time to wait.
  const unpack = async (script) => {
    const letters = atob(script.textContent);
    const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    contents.set(script.id, await new Response(stream).text());
  };

  // The libraries are kept as text until the first chart is due, so that findings and tables are painted before.
  const loadLibraries = () => {
    if (window.vegaEmbed) return;
    const script = document.createElement("script");
    script.textContent = `(() => {${contents.get("libraries")}})();`;
    document.head.append(script);
  };

  const rowsOf = (columns) => {
    const names = Object.keys(columns);
    return columns[names[0]].map((_, row) =>
      Object.fromEntries(names.map((name) => [name, columns[name][row]])));
  };

  const tip = document.getElementById("tooltip");
  const showTip = (_handler, event, _item, value) => {
    if (!value || typeof value !== "object") { tip.hidden = true; return; }
    tip.replaceChildren(...Object.entries(value).map(([name, content]) => {
      const line = document.createElement("div");
      const label = document.createElement("b");
      label.textContent = name;
      line.append(label, " ", String(content));
      return line;
    }));
    tip.hidden = false;
    const left = Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8);
    const below = event.clientY + 16 + tip.offsetHeight < window.innerHeight;
    tip.style.left = `${Math.max(4, left)}px`;
    tip.style.top = `${below ? event.clientY + 16 : event.clientY - tip.offsetHeight - 10}px`;
  };

  // On a narrow chart the names of rows stand above their marks instead of beside them, where they would be cut off.
  const NARROW = 560;
  const WIDER_ROWS = 1.9;
  // An axis of rows is drawn without its line; those of figures have one.
  const isRows = (y) => y && y.axis && y.axis.domain === false && y.axis.labels !== false;
  const namesAbove = (spec) => {
    const copy = structuredClone(spec);
    let found = false;
    for (const layer of [copy, ...(copy.layer ?? [])]) {
      const y = layer.encoding?.y;
      if (!isRows(y) || layer.encoding.yOffset) continue;
      found = true;
      Object.assign(y.axis, {
        labelAlign: "left", labelBaseline: "bottom", labelPadding: -4, labelOffset: -5, labelLimit: 1000, zindex: 1,
      });
    }
    if (found) copy.height *= WIDER_ROWS;
    return copy;
  };

  const folded = (place) => place.closest("details:not([open])") !== null;

  const draw = (place) => {
    if (place.dataset.drawn || folded(place)) return;
    place.dataset.drawn = "true";
    loadLibraries();
    const { spec, data } = json(`data-${place.dataset.figure}`)[Number(place.dataset.panel)];
    const datasets = Object.fromEntries(Object.entries(data).map(([name, columns]) => [name, rowsOf(columns)]));
    const fitting = place.clientWidth < NARROW ? namesAbove(spec) : spec;
    const full = { ...fitting, datasets, autosize: { type: "fit-x", contains: "padding" }, padding: 4 };
    vegaEmbed(place, full, {
      mode: "vega-lite", renderer: "svg", actions: false, defaultStyle: false, tooltip: showTip, config: json("config"),
    }).then(() => { place.style.minHeight = ""; });
  };

  const within = (node) => node.querySelectorAll(".chart:not([data-drawn])");
  const observer = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting || folded(entry.target)) continue;
      observer.unobserve(entry.target);
      draw(entry.target);
    }
  }, { rootMargin: "300px" });

  const sections = [...document.querySelectorAll("details.capture")];
  const reveal = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (let holder = target.closest("details"); holder; holder = holder.parentElement.closest("details")) {
      holder.open = true;
    }
    target.scrollIntoView();
  };

  const compareBy = (column, ascending) => {
    const key = (row) => {
      const cell = row.cells[column];
      return cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v);
    };
    return (a, b) => {
      const [x, y] = [key(a), key(b)];
      if (typeof x !== typeof y) return typeof x === "number" ? -1 : 1;
      const order = typeof x === "number" ? x - y : x.localeCompare(y, "en", { numeric: true });
      return ascending ? order : -order;
    };
  };

  // A click sorts, the second one the other way, the third one brings the groups back.
  const NEXT_ORDER = { none: "ascending", ascending: "descending", descending: "none" };
  const makeSortable = (table) => {
    const heads = [...table.tHead.rows[0].cells];
    const bodies = [...table.tBodies].map((body) => [body, [...body.rows]]);
    const rows = bodies.flatMap(([, members]) => members.filter((row) => !row.classList.contains("group")));
    const arrange = (column, order) => {
      table.classList.toggle("flat", order !== "none");
      for (const [body, members] of bodies) body.append(...members);
      if (order !== "none") bodies[0][0].append(...[...rows].sort(compareBy(column, order === "ascending")));
    };
    heads.forEach((head, column) => {
      head.querySelector("button")?.addEventListener("click", () => {
        const order = NEXT_ORDER[head.getAttribute("aria-sort")];
        for (const other of heads) if (other.hasAttribute("aria-sort")) other.setAttribute("aria-sort", "none");
        head.setAttribute("aria-sort", order);
        arrange(column, order);
      });
    });
  };

  // A printed page has its own width: drawn charts adapt to it as to a resized window, the others are drawn for it.
  const beforePrint = () => {
    for (const details of document.querySelectorAll("details:not([open])")) {
      details.dataset.printing = "true";
      details.open = true;
    }
    document.body.classList.add("printing");
    window.dispatchEvent(new Event("resize"));
    within(document).forEach(draw);
  };
  const afterPrint = () => {
    for (const details of document.querySelectorAll("details[data-printing]")) {
      delete details.dataset.printing;
      details.open = false;
    }
    document.body.classList.remove("printing");
    window.dispatchEvent(new Event("resize"));
  };

  // What the window shows at once is drawn without waiting for a frame, the rest when it comes into view.
  const inView = (place) => !folded(place) && place.getBoundingClientRect().top < window.innerHeight;
  const start = () => {
    for (const place of within(document)) {
      if (inView(place)) draw(place);
      else observer.observe(place);
    }
    // A toggle does not bubble.
    document.addEventListener("toggle", (event) => {
      if (event.target.open) [...within(event.target)].filter(inView).forEach(draw);
    }, true);
    window.addEventListener("beforeprint", beforePrint);
    window.addEventListener("afterprint", afterPrint);
  };

  document.querySelectorAll("table.sortable").forEach(makeSortable);
  document.querySelectorAll("button[data-open]").forEach((button) =>
    button.addEventListener("click", () => {
      for (const details of sections) details.open = button.dataset.open === "true";
    }));
  window.addEventListener("hashchange", reveal);
  window.addEventListener("keydown", (event) => { if (event.key === "Escape") tip.hidden = true; });
  const packed = [...document.querySelectorAll("script[data-packed]")];
  Promise.all(packed.map(unpack)).then(() => { reveal(); start(); document.body.dataset.ready = "true"; });
})();
