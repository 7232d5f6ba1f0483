// The contrast of the page's colours, by day, at night and on the stripes of a lost gateway, from the style sheet itself.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';

const sheet = readFileSync(new URL('../../deploy/page/style/page.css', import.meta.url), 'utf8');

/** The colours of one rule.  @param {string} selector  @returns {Record<string, string>} */
function colours(selector) {
  const rule = sheet.match(new RegExp(`^${selector.replace('.', '\\.')} \\{([^}]*)\\}`, 'm'))?.[1] ?? '';
  const found = [...rule.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)];
  return Object.fromEntries(found.map(([, name, colour]) => [name, colour]));
}

const day = colours(':root');
const night = { ...day, ...colours('.night') };
const palettes = {
  day,
  night,
  'day, striped': { ...day, ...colours('.lost') },
};

/** The relative luminance of WCAG 2.  @param {string} colour */
function light(colour) {
  const parts = [1, 3, 5].map(at => Number.parseInt(colour.slice(at, at + 2), 16) / 255);
  const [red, green, blue] = parts.map(v => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one, other) {
  const [high, low] = [light(one), light(other)].sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

const words = ['ink', 'ink-2', 'good', 'care', 'bad', 'target', 'car'];

/** [what stands there, on what, the least contrast] */
const table = [
  // Drive: the numbers, the labels, the levels, what is predicted, the car.
  ...words.map(name => [name, 'paper', 7]),
  ['ink', 'sheet', 7],
  ['ink-2', 'sheet', 7],
  ['ink', 'raise', 7],
  ['on-fill', 'fill', 7],
  ['on-target', 'fill-target', 7],
  ['on-bad', 'fill-bad', 7],
  // Elsewhere.
  ['ink-3', 'paper', 4.5],
  ...words.flatMap(name => [
    [name, 'raise', 4.5],
    [name, 'land', 4.5],
    [name, 'water', 4.5],
  ]),
  ['place', 'land', 7],
  ['place', 'halo', 7],
  ['ink', 'halo', 7],
];

/** The same on the stripes, which the usual colours of the day never lie on. */
const striped = words.map(name => [name, 'stripe', 7]);

for (const [palette, known] of Object.entries(palettes)) {
  test(`contrast: ${palette}`, () => {
    const low = [...table, ...(palette === 'day' ? [] : striped)]
      .map(([front, back, least]) => ({ front, back, least, seen: contrast(known[front], known[back]) }))
      .filter(({ seen, least }) => !(seen >= least))
      .map(({ front, back, least, seen }) => `${front} on ${back}: ${seen.toFixed(2)} < ${least}`);
    assert.deepEqual(low, []);
  });
}

test('contrast: the striped colours are darker than those of the day', () => {
  for (const [name, colour] of Object.entries(colours('.lost')))
    assert.ok(light(colour) < light(day[name]), name);
});

test('contrast: the frame is seen, and at night it glares in no state', () => {
  for (const name of ['frame-good', 'frame-care', 'frame-bad', 'frame-none']) {
    assert.ok(contrast(day[name], day.paper) >= 3, `${name} by day`);
    const seen = contrast(night[name], night.paper);
    assert.ok(seen >= 2.8 && seen <= 3.4, `${name} at night: ${seen.toFixed(2)}`);
  }
});

test('contrast: no surface is bright at night', () => {
  const surfaces = ['paper', 'sheet', 'raise', 'fill', 'fill-target', 'fill-bad', 'land', 'water'];
  for (const name of surfaces) assert.ok(light(night[name]) < 0.04, name);
});
