// The drawn icons: a grid of 24, lines of 2, round ends, the colour of the text beside. A word stands beside each.

/**
 * The shapes, by name.
 * @type {Record<string, string>}
 */
const shapes = {
  drive: '<path d="M12 3 19 20 12 16.5 5 20Z"/>',
  map: '<path d="M3 6.5 9 4l6 2.5L21 4v13.5L15 20l-6-2.5L3 20ZM9 4v13.5M15 6.5V20"/>',
  crew:
    '<circle cx="9" cy="8" r="3.5"/><path d="M2.5 20c.5-4.5 3-6.5 6.5-6.5s6 2 6.5 6.5"/>' +
    '<path d="M15.5 4.8a3.5 3.5 0 0 1 0 6.4M18 14.3c2 .9 3.2 2.7 3.5 5.7"/>',
  receiver:
    '<path d="M12 13v8M8 21h8"/><circle class="f" cx="12" cy="10" r="2.2"/>' +
    '<path d="M7.5 14.5a6.4 6.4 0 0 1 0-9M16.5 14.5a6.4 6.4 0 0 0 0-9"/>' +
    '<path d="M4.5 17.3a10.4 10.4 0 0 1 0-14.6M19.5 17.3a10.4 10.4 0 0 0 0-14.6"/>',
  silent:
    '<path d="M4 4 20 20M8.5 14a5 5 0 0 1-.8-5.4M5.5 17A9 9 0 0 1 5 6.5"/>' +
    '<path d="M15.5 14a5 5 0 0 0 0-7M18.5 17a9 9 0 0 0 0-13"/>',
  sondehub: '<path d="M7 19a4.5 4.5 0 0 1-.5-9A6 6 0 0 1 18 9.5 4.8 4.8 0 0 1 17.5 19Z"/>',
  sound: '<path d="M3 9.5h4L12 5v14l-5-4.5H3ZM16 9a4 4 0 0 1 0 6M18.5 6.5a8 8 0 0 1 0 11"/>',
  mute: '<path d="M3 9.5h4L12 5v14l-5-4.5H3ZM16 9.5l5 5M21 9.5l-5 5"/>',
  night: '<path d="M20 14.5A8.5 8.5 0 1 1 9.5 4a7 7 0 0 0 10.5 10.5Z"/>',
  tune: '<circle cx="12" cy="12" r="7"/><path d="M12 2v6M12 16v6M2 12h6M16 12h6"/>',
  follow: '<path d="M3 8V3h5M16 3h5v5M21 16v5h-5M8 21H3v-5"/><circle class="f" cx="12" cy="12" r="2.5"/>',
  layers: '<path d="M12 3 21 8l-9 5-9-5ZM3 12.5l9 5 9-5M3 17l9 5 9-5"/>',
  more:
    '<circle class="f" cx="5" cy="12" r="2"/><circle class="f" cx="12" cy="12" r="2"/>' +
    '<circle class="f" cx="19" cy="12" r="2"/>',
  wait: '<circle cx="12" cy="12" r="9.5"/><path d="M9.5 8.5v7M14.5 8.5v7"/>',
  towards: '<path d="M3 12h17M13 5l7 7-7 7"/>',
  go: '<circle cx="12" cy="12" r="9.5"/><path class="f" d="M12 5.5 17 17l-5-2.6L7 17Z"/>',
  flag: '<path d="M5 21.5V3.5M5 4.5c5-3 8 3 14 0v9c-6 3-9-3-14 0"/>',
  car: '<path d="M3 16.5V13l2-1 2-5h10l2 5 2 1v3.5ZM6 16.5V19M18 16.5V19M6.5 12h11"/>',
  rising: '<path d="M4 18 19 6M10 6h9v9"/>',
  falling: '<path d="M4 6 19 18M10 18h9V9"/>',
  steady: '<path d="M3 12h18M15 6l6 6-6 6"/>',
  tone: '<path d="M3 12h3M9 8v8M13 4.5v15M17 8v8M21 11v2"/>',
  compass: '<circle cx="12" cy="12" r="9.5"/><path class="f" d="M15.5 6 13 13.5 8.5 18 11 10.5Z"/>',
  up: '<path d="M12 20V5M5.5 11 12 4.5 18.5 11"/>',
  place:
    '<path d="M12 22s7-7.2 7-12.5A7 7 0 0 0 5 9.5C5 14.8 12 22 12 22Z"/>' +
    '<circle class="f" cx="12" cy="9.5" r="2.5"/>',
  take: '<rect x="3" y="3" width="10" height="18" rx="2"/><path d="M16 8l4 4-4 4M20 12h-9"/>',
  done: '<path d="M4 12.5 9.5 18 20 6.5"/>',
  good: '<circle cx="12" cy="12" r="9.5"/><path d="M7.5 12.5l3 3 6-6.5"/>',
  care: '<path d="M12 3 22 20.5H2ZM12 9.5v5.5"/><circle class="f" cx="12" cy="17.8" r="1.2"/>',
  bad: '<path d="M8 2.5h8L21.5 8v8L16 21.5H8L2.5 16V8ZM8.5 8.5l7 7M15.5 8.5l-7 7"/>',
  balloon:
    '<path d="M12 2.5c4 0 6.5 3 6.5 6.5S15 15 13 16.5h-2C9 15 5.5 12.5 5.5 9S8 2.5 12 2.5Z"/>' +
    '<path d="M10.5 19.5h3v2.5h-3Z"/>',
};

/** The names of all icons. */
export const icons = Object.keys(shapes);

/**
 * An icon as an element. Screen readers pass over it.
 * @param {string} name  One of `icons`.
 */
export function icon(name) {
  const box = document.createElement('template');
  box.innerHTML = `<svg class="i" viewBox="0 0 24 24" aria-hidden="true">${shapes[name]}</svg>`;
  return /** @type {SVGElement} */ (box.content.firstChild);
}

/**
 * Puts an icon in place of the one that an element shows.
 * @param {?HTMLElement} box
 * @param {string} name  One of `icons`.
 */
export function putIcon(box, name) {
  if (!box || box.dataset.icon === name) return;
  box.dataset.icon = name;
  box.replaceChildren(icon(name));
}

/** Gives each button the picture of the icon that it names, before its words. */
export function addIcons() {
  for (const e of document.querySelectorAll('button[data-icon]')) {
    const { icon: name, shown } = /** @type {HTMLElement} */ (e).dataset;
    if (!name || name === shown) continue;
    /** @type {HTMLElement} */ (e).dataset.shown = name;
    e.querySelector('.i')?.remove();
    e.prepend(icon(name));
  }
}
