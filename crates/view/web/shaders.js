// Shaders for WebGL2: states, bins and lines as instanced rectangles.
import { STACK, WAIT } from "./palette.js";
import { DIMMED, PERIOD, TINTED } from "./raster.js";
import { SLOTS } from "./shading.js";
import { BINS, ROWS } from "./tiles.js";

const SHADES = `#version 300 es
precision highp float;
uniform vec3 shades[${SLOTS}];
uniform bool hatched;
uniform vec3 tint;
uniform float ratio;
out vec4 colour;
vec3 shade(int kind) {
  float stripe = mod(gl_FragCoord.x - gl_FragCoord.y, ${PERIOD}.0 * ratio) / (${PERIOD}.0 * ratio);
  return hatched && kind == ${WAIT} && stripe < ${TINTED} ? tint : shades[kind];
}
`;

const PLACE = `#version 300 es
precision highp float;
precision highp int;
uniform vec2 size;
uniform float tops[${ROWS}];
uniform float height;
vec4 place(vec2 pixel) {
  return vec4(2.0 * pixel.x / size.x - 1.0, 1.0 - 2.0 * pixel.y / size.y, 0.0, 1.0);
}
vec2 corner() {
  return vec2(gl_VertexID & 1, gl_VertexID >> 1);
}
`;

// Offsets are subtracted as integers before conversion to floating point, which keeps full
// precision at any zoom.
export const STATES_VERTEX = `${PLACE}
in uint from;
in uint to;
in uint call;
in uint row;
in uint slot;
uniform int start;
uniform float scale;
uniform float shift;
uniform uint marked;
uniform uint hidden;
flat out int kind;
flat out float alpha;
void main() {
  float left = float(int(from) - start) * scale + shift;
  float right = float(int(to) - start) * scale + shift;
  left = max(left, -2.0);
  right = min(right, size.x + 2.0);
  float width = right - left;
  kind = int(slot);
  alpha = clamp(width, 0.15, 1.0) * (marked > 0u && call != marked ? ${DIMMED} : 1.0);
  vec2 corner = corner();
  float top = tops[row];
  gl_Position = width < -0.5 || top < -1.0e8 || (hidden >> slot & 1u) == 1u ? vec4(2.0, 2.0, 2.0, 1.0)
    : place(vec2(left + corner.x * max(width, 1.0), top + corner.y * height));
}`;

export const STATES_FRAGMENT = `${SHADES}
flat in int kind;
flat in float alpha;
void main() {
  colour = vec4(shade(kind) * alpha, alpha);
}`;

export const BINS_VERTEX = `${PLACE}
uniform float left;
uniform float width;
flat out int row;
out vec2 at;
void main() {
  row = gl_InstanceID;
  at = corner();
  float top = tops[row];
  gl_Position = top < -1.0e8 ? vec4(2.0, 2.0, 2.0, 1.0) : place(vec2(left + at.x * width, top + at.y * height));
}`;

export const BINS_FRAGMENT = `${SHADES}
precision highp sampler2D;
uniform sampler2D shares;
uniform bool stacked;
uniform uint hidden;
flat in int row;
in vec2 at;
const int ORDER[5] = int[5](${STACK.join(",")});
void main() {
  int bin = clamp(int(at.x * ${BINS}.0), 0, ${BINS - 1});
  vec4 most = texelFetch(shares, ivec2(bin, row), 0);
  float waits = texelFetch(shares, ivec2(bin + ${BINS}, row), 0).r;
  float filled = 0.0;
  vec3 mixed = vec3(0.0);
  for (int i = 0; i < 5; i++) {
    float part = (hidden >> uint(ORDER[i]) & 1u) == 1u ? 0.0 : ORDER[i] == 4 ? waits : most[ORDER[i]];
    // In mixtures stripes are the mean of their colours.
    mixed += part * (ORDER[i] == 4 && hatched ? mix(shades[4], tint, ${TINTED}) : shades[ORDER[i]]);
    filled += part;
    if (stacked && 1.0 - at.y < filled) {
      colour = vec4(shade(ORDER[i]), 1.0);
      return;
    }
  }
  if (stacked || filled <= 0.0) discard;
  float alpha = min(filled, 1.0);
  colour = vec4(mixed / filled * alpha, alpha);
}`;

export const LINES_VERTEX = `${PLACE}
in vec4 ends;
in vec2 look;
out float alpha;
void main() {
  vec2 along = ends.zw - ends.xy;
  float far = max(length(along), 1.0e-3);
  vec2 across = vec2(-along.y, along.x) / far * look.x * 0.5;
  vec2 corner = corner();
  alpha = look.y;
  gl_Position = place(ends.xy + along * corner.x + across * (2.0 * corner.y - 1.0));
}`;

export const LINES_FRAGMENT = `#version 300 es
precision highp float;
uniform vec3 ink;
in float alpha;
out vec4 colour;
void main() {
  colour = vec4(ink * alpha, alpha);
}`;
