// The shapes of the map's markers, drawn around 0, 0, which is the place. style/marks.css colours them.

const space = 'http://www.w3.org/2000/svg';

/** @typedef {[string, Record<string, string | number>]} Part  An element's name and its attributes. */

/**
 * A shape, filled.
 * @type {(d: string, name?: string) => Part}
 */
const shape = (d, name = '') => ['path', { class: `shape ${name}`, d }];
/**
 * A line above its halo.
 * @type {(d: string, name?: string) => Part[]}
 */
const stroke = (d, name = '') => [
  ['path', { class: `open ${name}`, d }],
  ['path', { class: `stroke ${name}`, d }],
];
/**
 * @type {(r: number, name: string, y?: number) => Part}
 */
const disc = (r, name, y = 0) => ['circle', { class: name, r, cy: y }];

/** @type {Record<string, Part[]>} */
const shapes = {
  // 1.7 times longer than wide, with a windscreen and a line ahead.
  car: [
    ...stroke('M0-24V-42', 'nose'),
    shape('M0-25C4-16 10-2 11 13 11 16 8 17 6 15L0 11-6 15C-8 17-11 16-11 13-10-2-4-16 0-25Z', 'nose'),
    disc(2.8, 'glass nose', -11),
    disc(12, 'shape disc'),
    disc(4, 'glass disc'),
  ],
  // A balloon while it climbs, a parachute while it falls, a dot on the ground. The box hangs at the place.
  sonde: [
    ...stroke('M0-14V-4', 'climb'),
    shape('M0-14C-9-18-14-25-14-32A14 14 0 0 1 14-32C14-25 9-18 0-14Z', 'climb'),
    ...stroke('M-14-18 0-4 14-18M-5-18 0-4 5-18', 'fall'),
    shape('M-17-18C-17-28-9-34 0-34S17-28 17-18Z', 'fall'),
    shape('M-7-5H7V6H-7Z'),
  ],
  // A cross; after the landing a ring and the cross, cut open around the sonde.
  landing: [
    ...stroke('M-11-11 11 11M11-11-11 11', 'cross'),
    ...stroke('M-15-15-9-9M15-15 9-9M-15 15-9 9M15 15 9 9', 'hit'),
    disc(20, 'open hit'),
    disc(20, 'stroke hit'),
    disc(7, 'shape hit middle'),
  ],
  burst: [shape('M0-14 3-4 13-8 6 0 13 8 3 4 0 14-3 4-13 8-6 0-13-8-3-4Z')],
  now: stroke('M-8-8 8 8M8-8-8 8'),
  other: [disc(8, 'shape')],
  crew: [shape('M0-14C3-9 6-1 7 8 7 10 5 10 4 9L0 7-4 9C-5 10-7 10-7 8-6-1-3-9 0-14Z')],
  recovery: [shape('M-9-9H9V9H-9Z'), ['path', { class: 'glass-line', d: 'M-5 0-1 4 6-4' }]],
  launch: [shape('M0-12 10 8H-10Z')],
  replayed: [disc(9, 'shape')],
};

/**
 * A marker's picture.
 * @param {string} name  Of the shape.
 * @returns {SVGElement}
 */
export function drawing(name) {
  const svg = document.createElementNS(space, 'svg');
  svg.setAttribute('viewBox', '-20 -20 40 40');
  svg.setAttribute('aria-hidden', 'true');
  for (const [element, attributes] of shapes[name] ?? []) {
    const part = document.createElementNS(space, element);
    for (const [key, value] of Object.entries(attributes)) part.setAttribute(key, String(value));
    svg.append(part);
  }
  return svg;
}
