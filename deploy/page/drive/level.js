// How good something is, as a shape.

/**
 * The shape of a level, to be seen without colours: a disc, a triangle, an octagon.
 * @type {Record<string, string>}
 */
const levels = {
  good: '<circle cx="5" cy="5" r="5"/>',
  care: '<path d="M5 0 10 10H0Z"/>',
  bad: '<path d="M3 0h4l3 3v4l-3 3H3L0 7V3Z"/>',
};

/** @param {string} level  `good`, `care` or `bad`.  @returns {SVGElement} */
export function levelShape(level) {
  const box = document.createElement('template');
  box.innerHTML = `<svg class="level" viewBox="0 0 10 10" aria-hidden="true">${levels[level]}</svg>`;
  return /** @type {SVGElement} */ (box.content.firstChild);
}
