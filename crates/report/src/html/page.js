// Interactive parts of a report: values under the pointer and the arrow keys, series that can be
// hidden, and the raw samples of a point. Loads nothing from outside the page, and inserts text
// only as text nodes.
(() => {
  "use strict";
  const SVG = "http://www.w3.org/2000/svg";
  const stored = document.getElementById("raw");
  const raw = stored ? JSON.parse(stored.textContent) : [];

  const make = (name, attributes = {}, text) => {
    const known = ["svg", "path", "text", "g", "line"].includes(name);
    const element = known ? document.createElementNS(SVG, name) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    return element;
  };

  const time = (seconds) => {
    const units = [[1, "s"], [1e-3, "ms"], [1e-6, "us"], [1e-9, "ns"]];
    const [size, unit] = units.find(([size]) => Math.abs(seconds) >= size) || units[3];
    return `${Number((seconds / size).toPrecision(4))}${unit}`;
  };

  // Plots samples as a cumulative curve or as dots. A sample is its share of the way from the
  // smallest to the largest.
  const plot = (title, parts, kind, ends) => {
    const [width, height, left, bottom] = [300, 110, 8, 18];
    const along = (part) => (left + part * (width - 2 * left)).toFixed(1);
    const up = (part) => (height - bottom - part * (height - bottom - 8)).toFixed(1);
    const svg = make("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title });
    svg.append(make("path", { d: `M${left},${up(0)}H${width - left}`, class: "axis" }));
    if (kind === "share") {
      const sorted = [...parts].sort((a, b) => a - b);
      const d = sorted.map((part, n) => `H${along(part)}V${up((n + 1) / sorted.length)}`);
      svg.append(make("path", { d: `M${along(0)},${up(0)}${d.join("")}`, class: "curve" }));
    } else {
      const last = Math.max(1, parts.length - 1);
      const dots = make("path", { d: parts.map((part, n) => `M${along(n / last)},${up(part)}h0`).join(""), class: "dots" });
      if (parts.length < 40) dots.style.strokeWidth = "5";
      svg.append(dots);
    }
    const label = (x, anchor, text) => svg.append(make("text", { x, y: height - 4, "text-anchor": anchor }, text));
    label(left, "start", ends[0]);
    label(width - left, "end", ends[1]);
    const box = make("div");
    box.append(make("strong", {}, title), svg);
    return box;
  };

  // Two base-64 digits are a number from 0 to 4095.
  const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const samplePlots = (number) => {
    const [all, low, high, log, steps] = raw[number] || [0, 0, 0, 0, ""];
    const parts = (steps.match(/../g) || []).map((two) => (64 * BASE64.indexOf(two[0]) + BASE64.indexOf(two[1])) / 4095);
    if (parts.length < 2) return null;
    const box = make("div", { class: "samples" });
    const share = log ? "Cumulative share (logarithmic time)" : "Cumulative share";
    box.append(plot(share, parts, "share", [time(low), time(high)]));
    box.append(plot("In measurement order", parts, "order", ["first sample", "last"]));
    box.append(make("small", {}, parts.length < all ? `${parts.length} of ${all} samples` : `all ${all} samples`));
    return box;
  };

  // The tooltip, shared by the whole page.
  const tip = make("div", { class: "tip", role: "status", "aria-live": "polite" });
  tip.hidden = true;
  document.body.append(tip);
  let shown = null;

  // The second version of a figure has the same points at other positions, and takes their texts
  // from the first.
  const labelled = (point) => {
    const drawing = point.closest("figure > .other");
    if (!drawing || point.firstElementChild || point.dataset.text !== undefined) return point;
    const group = [...drawing.querySelectorAll(".hits")].indexOf(point.parentElement);
    const first = drawing.parentElement.querySelectorAll(":scope > .first .hits")[group];
    return first ? first.children[[...point.parentElement.children].indexOf(point)] : point;
  };

  const text = (hit) => {
    const point = labelled(hit);
    const title = point.querySelector("title");
    if (title) {
      // Browsers would show the title as well.
      point.dataset.text = title.textContent;
      title.remove();
    }
    return point.dataset.text || "";
  };

  const samples = (hit) => {
    const { raw: number } = labelled(hit).dataset;
    return number === undefined ? null : samplePlots(Number(number));
  };

  const show = (point) => {
    if (shown === point) return;
    hide();
    shown = point;
    point.classList.add("here");
    const [name, ...values] = text(point).split("\n");
    tip.replaceChildren(make("b", {}, name), ...values.map((line) => make("div", {}, line)));
    const plots = samples(point);
    if (plots) {
      tip.append(plots);
      tip.append(make("small", {}, "click or press Enter to pin below the figure"));
    }
    tip.hidden = false;
    const box = point.getBoundingClientRect();
    const x = Math.min(box.right + 10, document.documentElement.clientWidth - tip.offsetWidth - 8);
    const above = box.top - tip.offsetHeight - 8;
    tip.style.left = `${Math.max(8, x) + window.scrollX}px`;
    tip.style.top = `${(above > 0 ? above : box.bottom + 8) + window.scrollY}px`;
  };

  const hide = () => {
    if (shown) shown.classList.remove("here");
    shown = null;
    tip.hidden = true;
  };

  const pin = (point) => {
    const plots = samples(point);
    const figure = point.closest("figure");
    if (!plots || !figure) return;
    const pinned = figure.querySelector(".kept");
    const box = make("div", { class: "kept" });
    const close = make("button", { type: "button", "aria-label": "Close the raw samples" }, "\u00d7");
    close.addEventListener("click", () => box.remove());
    box.append(close, make("p", {}, text(point).replace("\n", ", ")), plots);
    if (pinned) pinned.replaceWith(box);
    else figure.append(box);
  };

  const pointOf = (target) => {
    return target instanceof Element ? target.closest(".hits > circle") : null;
  };
  document.addEventListener("pointerover", (event) => {
    const point = pointOf(event.target);
    if (point) show(point);
    else if (!(event.target instanceof Element && tip.contains(event.target))) hide();
  });
  document.addEventListener("click", (event) => {
    const point = pointOf(event.target);
    if (point) pin(point);
  });

  // The names of series toggle their visibility.
  const toggle = (figure, number) => {
    const parts = [...figure.querySelectorAll(`[data-series="${number}"]`)];
    const hidden = !parts.some((part) => part.classList.contains("gone"));
    for (const part of parts) {
      if (part.classList.contains("name")) part.setAttribute("aria-pressed", String(!hidden));
      part.classList.toggle("gone", hidden);
    }
  };
  for (const figure of document.querySelectorAll("figure")) {
    const names = figure.querySelectorAll(".name");
    if (new Set([...names].map((name) => name.dataset.series)).size < 2) continue;
    for (const name of names) {
      for (const [key, value] of Object.entries({ role: "button", tabindex: "0", "aria-pressed": "true" })) name.setAttribute(key, value);
      name.classList.add("switch");
      name.addEventListener("click", () => toggle(figure, name.dataset.series));
      name.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        event.stopPropagation();
        toggle(figure, name.dataset.series);
      });
    }
    // A drawing with buttons inside is not a single image.
    for (const svg of figure.querySelectorAll("svg[role=img]")) svg.setAttribute("role", "group");
  }

  // Arrow keys move along a series and from one to the next.
  const walk = (figure, key) => {
    const rows = [...figure.querySelectorAll("g[data-series]:not(.gone)")]
      .filter((group) => group.getClientRects().length > 0)
      .map((group) => [...group.querySelectorAll(":scope > .hits > circle")])
      .filter((points) => points.length > 0);
    if (rows.length === 0) return false;
    let row = rows.findIndex((points) => points.includes(shown));
    let place = row < 0 ? -1 : rows[row].indexOf(shown);
    if (row < 0) [row, place] = [0, 0];
    else if (key === "ArrowRight") place += 1;
    else if (key === "ArrowLeft") place -= 1;
    else row += key === "ArrowDown" ? 1 : -1;
    const points = rows[(row + rows.length) % rows.length];
    show(points[Math.max(0, Math.min(place, points.length - 1))]);
    return true;
  };
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return hide();
    const figure = document.activeElement;
    if (!(figure instanceof Element) || figure.tagName !== "FIGURE") return;
    if (event.key === "Enter" && shown) pin(shown);
    else if (event.key.startsWith("Arrow") && walk(figure, event.key)) event.preventDefault();
  });
})();
