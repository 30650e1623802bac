// What is wrong with the layout of a report page, in sentences: content wider than the window, text that is cut off, and
// words of charts or lines that lie over each other.
(() => {
  const faults = [];
  const told = (node) => (node.textContent || "").trim().replace(/\s+/g, " ").slice(0, 60);
  const shown = (node) => {
    const box = node.getBoundingClientRect();
    return box.width > 1 && box.height > 1 && node.checkVisibility() && !node.closest(".visually-hidden, .skip");
  };
  const window_ = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > window_ + 1) {
    faults.push(`the page is ${document.documentElement.scrollWidth} px wide in a window of ${window_} px`);
  }
  const ranged = (node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return range.getBoundingClientRect();
  };
  const leaves = [...document.querySelectorAll("h1,h2,h3,h4,h5,p,li>span,li>a,summary>span,small,b,figcaption,button")];
  for (const leaf of leaves.filter(shown)) {
    const words = told(leaf);
    if (!words || leaf.closest(".scroll")) continue;
    const box = ranged(leaf);
    if (box.right > window_ + 1 || box.left < -1) faults.push(`beyond the window: ${words}`);
    if (leaf.scrollWidth > leaf.clientWidth + 1 && getComputedStyle(leaf).overflow === "hidden") {
      faults.push(`cut off: ${words}`);
    }
  }
  // The parts of one line of rows, dots or stages stand beside each other.
  for (const line of [...document.querySelectorAll(".rows summary, .dots li, .waterfall li")].filter(shown)) {
    const parts = [...line.children].filter((part) => shown(part) && told(part)).map((part) => [ranged(part), told(part)]);
    overlaps(parts, "a line");
  }
  for (const axis of [...document.querySelectorAll(".dot-axis .track")].filter(shown)) {
    overlaps([...axis.children].map((label) => [label.getBoundingClientRect(), told(label)]), "an axis of dots");
  }
  for (const chart of [...document.querySelectorAll(".chart svg")].filter(shown)) {
    const frame = chart.getBoundingClientRect();
    const words = [...chart.querySelectorAll("text")].filter((one) => {
      const style = getComputedStyle(one);
      return told(one) && style.opacity !== "0" && one.getAttribute("opacity") !== "0" && shown(one);
    });
    const name = chart.closest(".chart").dataset.figure;
    for (const one of words) {
      const box = one.getBoundingClientRect();
      const beyond = Math.max(frame.left - box.left, box.right - frame.right);
      if (beyond > 2) faults.push(`cut off by ${Math.round(beyond)} px in ${name}: ${told(one)}`);
      if (told(one).endsWith("…")) faults.push(`shortened in ${name}: ${told(one)}`);
    }
    for (const axis of chart.querySelectorAll(".role-axis-label")) {
      overlaps([...axis.querySelectorAll("text")].filter((one) => words.includes(one))
        .map((one) => [one.getBoundingClientRect(), told(one)]), name);
    }
  }
  function overlaps(parts, where) {
    for (let first = 0; first < parts.length; first += 1) {
      for (let second = first + 1; second < parts.length; second += 1) {
        const [[a, one], [b, other]] = [parts[first], parts[second]];
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (wide > 2 && high > 3) faults.push(`over each other in ${where}: ${one} / ${other}`);
      }
    }
  }
  return [...new Set(faults)];
})()
