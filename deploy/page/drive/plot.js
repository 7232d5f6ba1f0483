// The lines and marks of a ribbon: altitude against time. It reads nothing but its arguments.

/** @param {number[][]} points  @param {string} kind */
const line = (points, kind) =>
  `<polyline class="${kind}" points="${points.map(([x, y]) => `${x.toFixed(2)},${(100 - y).toFixed(1)}`).join(' ')}"/>`;

/** @type {Record<string, string>} */
const shapes = {
  now: '<circle r="6"/>',
  burst: '<path d="M0-9 2.5-3 8.5-4.5 4.5 0 8.5 4.5 2.5 3 0 9-2.5 3-8.5 4.5-4.5 0-8.5-4.5-2.5-3Z"/>',
  landing: '<path class="halo" d="M-6-6 6 6M6-6-6 6"/><path class="cross" d="M-6-6 6 6M6-6-6 6"/>',
  arrival: '<path d="M9 0C5-3 0-6-8-6.5L-6 0-8 6.5C0 6 5 3 9 0Z"/>',
};

/**
 * The lines of the ribbon.
 * @param {import('./timeline.js').Timeline} drawn
 * @param {?string} level  How good the time between the car's arrival and the landing is; null if it is not shown.
 */
export function picture(drawn, level) {
  const box = document.createElement('template');
  const gap =
    level != null && drawn.landing && drawn.arrival
      ? `<path class="gap ${level}" d="M${drawn.arrival.x.toFixed(2)} 100H${drawn.landing.x.toFixed(2)}"/>`
      : '';
  const whisker = drawn.whisker?.map(x => x.toFixed(2));
  const spread = whisker
    ? `<path class="whisker" d="M${whisker[0]} 90V110M${whisker[0]} 100H${whisker[1]}M${whisker[1]} 90V110"/>`
    : '';
  box.innerHTML =
    `<svg class="plot" viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true"><path class="ground" d="M0 100H100"/>` +
    `${gap}${spread}<path class="stem" d="M${drawn.now.x.toFixed(2)} -8V${(100 - drawn.now.y).toFixed(1)}"/>` +
    `${line(drawn.past, 'past')}${line(drawn.next, 'next')}</svg>`;
  return /** @type {SVGElement} */ (box.content.firstChild);
}

/**
 * A mark on the ribbon.
 * @param {string} name
 * @param {import('./timeline.js').Mark} mark
 */
function sign(name, mark) {
  const box = document.createElement('template');
  box.innerHTML = `<svg class="at ${name}" viewBox="-11 -11 22 22" aria-hidden="true">${shapes[name]}</svg>`;
  const root = /** @type {SVGElement} */ (box.content.firstChild);
  root.style.left = `${mark.x.toFixed(2)}%`;
  root.style.setProperty('--y', (mark.y / 100).toFixed(3));
  return root;
}

/**
 * The marks that the ribbon has.
 * @param {import('./timeline.js').Timeline} drawn
 */
export function signs({ burst, arrival, landing, now }) {
  const marks = Object.entries({ burst, arrival, landing, now });
  return marks.flatMap(([name, mark]) => (mark ? [sign(name, mark)] : []));
}
