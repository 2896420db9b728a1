// Renderer with WebGL2: a tile is uploaded once and drawn by one call.
import { CanvasRenderer } from "./canvas.js";
import { rgb } from "./palette.js";
import { STACKED } from "./raster.js";
import { BINS_FRAGMENT, BINS_VERTEX, LINES_FRAGMENT, LINES_VERTEX, STATES_FRAGMENT, STATES_VERTEX } from "./shaders.js";
import { BINS, ROWS } from "./tiles.js";

/** @typedef {import("./tiles.js").BinTile} BinTile */
/** @typedef {import("./tiles.js").StateTile} StateTile */
/** @typedef {import("./shading.js").Shading} Shading */
/** @typedef {import("./canvas.js").Renderer} Renderer */

/** Names of software renderers. */
const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;

/**
 * Selects WebGL2 if a GPU renders it, otherwise the 2D canvas, which is faster than WebGL2 in software.
 * @param {string | null} requested `webgl2` or `canvas` to force one
 * @param {() => void} lost called when the context is lost
 * @returns {Renderer}
 */
export function selectRenderer(requested, lost) {
  const isForced = requested === "webgl2";
  const canvas = document.createElement("canvas");
  const options = { alpha: true, antialias: false, premultipliedAlpha: true, failIfMajorPerformanceCaveat: !isForced };
  const gl = requested === "canvas" ? null : canvas.getContext("webgl2", options);
  if (!(gl instanceof WebGL2RenderingContext) || (!isForced && isSoftware(gl))) return new CanvasRenderer();
  canvas.addEventListener("webglcontextlost", lost);
  try {
    return new GlRenderer(canvas, gl);
  } catch (error) {
    console.warn("WebGL2 is unusable, falling back to the 2D canvas:", error);
    return new CanvasRenderer();
  }
}

/** @param {WebGL2RenderingContext} gl */
function isSoftware(gl) {
  const info = gl.getExtension("WEBGL_debug_renderer_info");
  return SOFTWARE.test(String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER)));
}

/** Draws with WebGL2. @implements {Renderer} */
class GlRenderer {
  /** @param {HTMLCanvasElement} canvas @param {WebGL2RenderingContext} gl */
  constructor(canvas, gl) {
    this.name = "webgl2";
    this.canvas = canvas;
    this.gl = gl;
    this.states_ = program(gl, STATES_VERTEX, STATES_FRAGMENT);
    this.bins_ = program(gl, BINS_VERTEX, BINS_FRAGMENT);
    this.lines_ = program(gl, LINES_VERTEX, LINES_FRAGMENT);
    this.segments = gl.createBuffer();
    this.segmentArray = this.segmented();
    /** @type {WeakMap<object, WebGLTexture>} */
    this.textures = new WeakMap();
    /** Vertex arrays of tiles, by their column of slots. @type {WeakMap<Uint8Array, WebGLVertexArrayObject>} */
    this.arrays = new WeakMap();
    /** @type {HTMLCanvasElement | null} */
    this.target = null;
    this.ratio = 1;
    /** @type {Shading | null} */
    this.shading = null;
    this.scratch = new Float32Array(0);
    this.tops = new Float32Array(ROWS);
  }

  /** Describes the layout of lines in their buffer. */
  segmented() {
    const { gl, lines_: program } = this;
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.segments);
    /** @type {[string, number, number][]} */
    const columns = [["ends", 4, 0], ["look", 2, 16]];
    for (const [name, size, offset] of columns) {
      const place = gl.getAttribLocation(program.handle, name);
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, size, gl.FLOAT, false, 24, offset);
      gl.vertexAttribDivisor(place, 1);
    }
    gl.bindVertexArray(null);
    return array;
  }

  /** @param {HTMLCanvasElement} target @param {number} ratio @param {Shading} shading */
  begin(target, ratio, shading) {
    const { gl, canvas } = this;
    const { width, height } = target;
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    this.target = target;
    this.ratio = ratio;
    this.shading = shading;
    for (const program of [this.states_, this.bins_, this.lines_]) {
      gl.useProgram(program.handle);
      gl.uniform2f(program.at("size"), width / ratio, height / ratio);
      gl.uniform3fv(program.at("shades[0]"), (program === this.bins_ ? shading.bins : shading.shades).flatMap(rgb));
      gl.uniform3fv(program.at("tint"), rgb(shading.colours.tint));
      gl.uniform1i(program.at("hatched"), shading.isHatched ? 1 : 0);
      gl.uniform1ui(program.at("hidden"), program === this.bins_ ? shading.hiddenKinds : shading.hidden);
      gl.uniform1f(program.at("ratio"), ratio);
    }
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  /** @param {number} left @param {number} right */
  clip(left, right) {
    const [first, last] = [Math.round(left * this.ratio), Math.round(right * this.ratio)];
    this.gl.enable(this.gl.SCISSOR_TEST);
    this.gl.scissor(first, 0, Math.max(0, last - first), this.canvas.height);
  }

  /** @param {Program} program @param {Float32Array} tops @param {number} height */
  use(program, tops, height) {
    const { gl, tops: safe } = this;
    gl.useProgram(program.handle);
    // NaN has no defined meaning in a shader.
    tops.forEach((top, row) => (safe[row] = Number.isNaN(top) ? -1e9 : top));
    gl.uniform1fv(program.at("tops[0]"), safe);
    gl.uniform1f(program.at("height"), height);
  }

  /** @param {BinTile} tile @param {number} x @param {number} width @param {Float32Array} tops @param {number} height */
  bins(tile, x, width, tops, height) {
    const { gl } = this;
    this.use(this.bins_, tops, height);
    gl.uniform1f(this.bins_.at("left"), x);
    gl.uniform1f(this.bins_.at("width"), width);
    gl.uniform1i(this.bins_.at("stacked"), height >= STACKED ? 1 : 0);
    gl.bindTexture(gl.TEXTURE_2D, this.texture(tile));
    gl.bindVertexArray(null);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, Math.min(ROWS, tile.rows));
  }

  /** @param {BinTile} tile */
  texture(tile) {
    const known = this.textures.get(tile);
    if (known) return known;
    const { gl } = this;
    const [texture, cells] = [/** @type {WebGLTexture} */ (gl.createTexture()), tile.rows * BINS];
    const texels = new Uint8Array(8 * cells);
    for (let cell = 0; cell < cells; cell++) {
      const at = 4 * (Math.floor(cell / BINS) * 2 * BINS + (cell % BINS));
      for (let kind = 0; kind < 4; kind++) texels[at + kind] = tile.shares[kind * cells + cell];
      texels[at + 4 * BINS] = tile.shares[4 * cells + cell];
    }
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, 2 * BINS, tile.rows, 0, gl.RGBA, gl.UNSIGNED_BYTE, texels);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    this.textures.set(tile, texture);
    tile.dispose = () => {
      gl.deleteTexture(texture);
      this.textures.delete(tile);
    };
    return texture;
  }

  /** @param {StateTile} tile @param {number} from @param {number} scale @param {Float32Array} tops @param {number} height @param {number} call */
  states(tile, from, scale, tops, height, call) {
    if (tile.count === 0) return;
    const { gl, states_: program } = this;
    this.use(program, tops, height);
    const exact = (from - tile.base) / tile.unit;
    const start = Math.max(0, Math.min(2 ** 31 - 1, Math.floor(exact)));
    gl.uniform1i(program.at("start"), start);
    gl.uniform1f(program.at("scale"), tile.unit * scale);
    gl.uniform1f(program.at("shift"), (start - exact) * tile.unit * scale);
    gl.uniform1ui(program.at("marked"), call);
    gl.bindVertexArray(this.array(tile));
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, tile.count);
    gl.bindVertexArray(null);
  }

  /** @param {StateTile} tile */
  array(tile) {
    const slots = this.shading?.column(tile) ?? tile.what;
    const known = this.arrays.get(slots);
    if (known) return known;
    const { gl } = this;
    const before = tile.dispose;
    const array = /** @type {WebGLVertexArrayObject} */ (gl.createVertexArray());
    gl.bindVertexArray(array);
    /** @type {WebGLBuffer[]} */
    const buffers = [];
    for (const [name, column] of Object.entries({ from: tile.from, to: tile.to, call: tile.call, row: tile.row, slot: slots })) {
      const buffer = /** @type {WebGLBuffer} */ (gl.createBuffer());
      buffers.push(buffer);
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, column, gl.STATIC_DRAW);
      const place = gl.getAttribLocation(this.states_.handle, name);
      gl.enableVertexAttribArray(place);
      gl.vertexAttribIPointer(place, 1, column instanceof Uint8Array ? gl.UNSIGNED_BYTE : gl.UNSIGNED_INT, 0, 0);
      gl.vertexAttribDivisor(place, 1);
    }
    gl.bindVertexArray(null);
    this.arrays.set(slots, array);
    tile.dispose = () => {
      before?.();
      gl.deleteVertexArray(array);
      buffers.forEach((buffer) => gl.deleteBuffer(buffer));
      this.arrays.delete(slots);
    };
    return array;
  }

  /** @param {number[]} lines @param {string} colour */
  lines(lines, colour) {
    if (lines.length === 0) return;
    const { gl, lines_: program } = this;
    if (this.scratch.length < lines.length) this.scratch = new Float32Array(2 * lines.length);
    this.scratch.set(lines);
    gl.disable(gl.SCISSOR_TEST);
    gl.useProgram(program.handle);
    gl.uniform3fv(program.at("ink"), rgb(colour));
    gl.bindVertexArray(this.segmentArray);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.segments);
    gl.bufferData(gl.ARRAY_BUFFER, this.scratch.subarray(0, lines.length), gl.STREAM_DRAW);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, lines.length / 6);
    gl.bindVertexArray(null);
  }

  /** Copies the frame to its canvas. */
  end() {
    const { width, height } = this.canvas;
    const context = this.target?.getContext("2d");
    this.gl.disable(this.gl.SCISSOR_TEST);
    context?.setTransform(1, 0, 0, 1, 0, 0);
    context?.clearRect(0, 0, width, height);
    context?.drawImage(this.canvas, 0, 0);
  }
}

/** A program with the locations of its uniforms. @typedef {{handle: WebGLProgram, at: (name: string) => WebGLUniformLocation | null}} Program */

/** @param {WebGL2RenderingContext} gl @param {string} vertex @param {string} fragment @returns {Program} */
function program(gl, vertex, fragment) {
  const handle = /** @type {WebGLProgram} */ (gl.createProgram());
  for (const [kind, text] of /** @type {[number, string][]} */ ([[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]])) {
    const shader = /** @type {WebGLShader} */ (gl.createShader(kind));
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(handle, shader);
  }
  gl.linkProgram(handle);
  if (!gl.getProgramParameter(handle, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(handle) ?? "cannot link the shaders");
  /** @type {Map<string, WebGLUniformLocation | null>} */
  const places = new Map();
  const at = (/** @type {string} */ name) => {
    let place = places.get(name);
    if (place === undefined) places.set(name, (place = gl.getUniformLocation(handle, name)));
    return place;
  };
  return { handle, at };
}
