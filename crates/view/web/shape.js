// Layouts of topologies: positions of processors, and links. Coordinates are from 0 to 1.

/** @typedef {{x: number, y: number}[]} Places */
/** @typedef {{places: Places, links: [number, number][], inner: Places, spokes: [number, number][]}} Drawing positions of ranks and links between them; positions of switches, and links from the i-th vertex (ranks, then switches) to another */

/** @param {Places} places @param {[number, number][]} links @returns {Drawing} */
function drawing(places, links) {
  return { places, links, inner: [], spokes: [] };
}

/** @param {number} count @returns {Places} */
function circle(count) {
  return Array.from({ length: count }, (_, i) => {
    const angle = (2 * Math.PI * i) / count - Math.PI / 2;
    return { x: 0.5 + 0.46 * Math.cos(angle), y: 0.5 + 0.46 * Math.sin(angle) };
  });
}

/** @param {number} count @param {number[]} extents @param {boolean} wraps @returns {Drawing} */
function grid(count, extents, wraps) {
  const sides = extents.length > 0 ? extents : [count];
  const steps = sides.map((_, axis) => sides.slice(axis + 1).reduce((product, side) => product * side, 1));
  const at = (/** @type {number} */ i) => sides.map((side, axis) => Math.floor(i / steps[axis]) % side);
  /** @type {[number, number][]} */
  const links = [];
  for (let i = 0; i < count; i++) {
    at(i).forEach((place, axis) => {
      const next = i + (place + 1 < sides[axis] ? steps[axis] : -place * steps[axis]);
      if ((place + 1 < sides[axis] || (wraps && sides[axis] > 2)) && next < count && next !== i) links.push([i, next]);
    });
  }
  return drawing(spread(Array.from({ length: count }, (_, i) => flat(at(i).reverse()))), links);
}

/** Projects several dimensions to two: the third goes up to the right, further ones far to the right or down. @param {number[]} at */
function flat(at) {
  const [x, y = 0, z = 0, ...rest] = at;
  const far = rest.reduce((sum, value, i) => sum + value * (i + 1), 0);
  return { x: x + 0.42 * z + far * 8, y: y - 0.34 * z };
}

/** @param {number} count @param {number} dimensions @returns {Drawing} */
function hypercube(count, dimensions) {
  const ways = [[1, 0], [0, 1], [0.36, -0.32], [2.1, 0.1], [0.12, 2.1], [4.4, 0.3], [0.2, 4.4], [9, 0.4]];
  /** @type {[number, number][]} */
  const links = [];
  const places = Array.from({ length: count }, (_, i) => {
    const place = { x: 0, y: 0 };
    for (let bit = 0; bit < Math.max(dimensions, 1); bit++) {
      const way = ways[bit] ?? [9 * (bit - 6), 9 * (bit - 7)];
      if ((i >> bit) & 1) [place.x, place.y] = [place.x + way[0], place.y + way[1]];
      else if ((i | (1 << bit)) < count) links.push([i, i | (1 << bit)]);
    }
    return place;
  });
  return drawing(spread(places), links);
}

/** A tree with processors at all vertices, numbered from its root. @param {number} count @param {number} arity @returns {Drawing} */
function tree(count, arity) {
  /** @type {Places} */
  const places = [];
  /** @type {[number, number][]} */
  const links = [];
  for (let [first, size, depth] = [0, 1, 0]; first < count; first += size, size *= arity, depth++) {
    for (let i = 0; i < size && first + i < count; i++) {
      places.push({ x: (i + 0.5) / size, y: depth });
      if (first + i > 0) links.push([first + i, Math.floor((first + i - 1) / arity)]);
    }
  }
  return drawing(spread(places), links);
}

/** A tree with processors at its leaves. @param {number} count @param {number} arity @returns {Drawing} */
function leaves(count, arity) {
  let depth = 0;
  while (arity ** depth < count) depth += 1;
  const all = Array.from({ length: count }, (_, i) => ({ x: (i + 0.5) / count, y: 1 }));
  /** @type {Places} */
  const inner = [];
  /** @type {[number, number][]} */
  const spokes = [];
  let [below, first] = [count, 0];
  for (let level = depth - 1; level >= 0; level--) {
    const here = Math.ceil(below / arity);
    const start = count + inner.length;
    for (let i = 0; i < here; i++) inner.push({ x: (i + 0.5) / here, y: level / Math.max(1, depth) });
    for (let i = 0; i < below; i++) spokes.push([first + i, start + Math.floor(i / arity)]);
    [below, first] = [here, start];
  }
  return { places: all.map(({ x, y }) => ({ x: 0.04 + 0.92 * x, y: 0.06 + 0.88 * y })), links: [], spokes,
    inner: inner.map(({ x, y }) => ({ x: 0.04 + 0.92 * x, y: 0.06 + 0.88 * y })) };
}

/** Scales positions to the available space. @param {Places} places @returns {Places} */
function spread(places) {
  const [xs, ys] = [places.map(({ x }) => x), places.map(({ y }) => y)];
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  const [wide, high] = [Math.max(...xs) - left || 1, Math.max(...ys) - top || 1];
  const alone = [Math.max(...xs) === left, Math.max(...ys) === top];
  return places.map(({ x, y }) => ({
    x: alone[0] ? 0.5 : 0.05 + (0.9 * (x - left)) / wide, y: alone[1] ? 0.5 : 0.06 + (0.88 * (y - top)) / high,
  }));
}

/** Returns the layout of a topology with `count` processors. @param {{shape: string, extents?: number[]}} topology @param {number} count @returns {Drawing} */
export function draw(topology, count) {
  const extents = topology.extents ?? [];
  switch (topology.shape) {
    case "ring":
      return drawing(circle(count), Array.from({ length: count > 1 ? count : 0 }, (_, i) => [i, (i + 1) % count]));
    case "mesh":
    case "torus":
      return grid(count, extents, topology.shape === "torus");
    case "hypercube":
      return hypercube(count, Math.max(extents[0] ?? 0, Math.ceil(Math.log2(Math.max(count, 2)))));
    case "tree":
      return tree(count, Math.max(2, extents[0] ?? 2));
    case "leaves":
      return leaves(count, Math.max(2, extents[0] ?? 2));
    default:
      return drawing(circle(count), []);
  }
}
