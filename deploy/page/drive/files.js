// The target in one file, for a phone without a network.
import { button, el, toast } from '../shared/dom.js';
import { flight, json } from '../shared/stream.js';
import { T } from '../shared/texts.js';
import * as u from '../shared/units.js';
import { gpx, kml, page } from './along.js';

/**
 * @typedef {import('./along.js').Along} Along
 * @typedef {Placed & {source?: string, error_radius_50_m?: ?number}} Target
 */

/**
 * @param {Target} place
 * @param {string} name
 * @returns {Promise<Along>}
 */
async function along(place, name) {
  const radius = ['observed', 'manual'].includes(place.source ?? '')
    ? null
    : (place.error_radius_50_m ?? null);
  return {
    serial: flight()?.serial ?? 'sonde',
    name,
    place,
    radius,
    around: radius ? `± ${u.text(u.radius(radius))}` : '',
    track: (await json('api/flights/current/track?max=500')) ?? [],
  };
}

/** @param {string} text  @param {string} type  @param {string} name */
function save(text, type, name) {
  const href = URL.createObjectURL(new Blob([text], { type }));
  el('a', { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

/** @param {Along} target */
async function arrow(target) {
  const answer = await fetch('along.html');
  if (!answer.ok) throw new Error(answer.statusText);
  const template = await answer.text();
  const { wait, none, compass, around } = T.along;
  const texts = { wait, none, compass, around, geo: T.geo, toward: T.winds, decimal: T.decimal };
  return page(template, target, document.documentElement.lang, texts, {
    far: u.shownAs('far'),
    near: u.shownAs('near'),
  });
}

/**
 * The formats: the button's words, the ending, the media type, what makes the text.
 * @type {Array<[() => string, string, string, (target: Along) => string | Promise<string>]>}
 */
const formats = [
  [() => T.along.page, 'html', 'text/html', arrow],
  [() => 'GPX', 'gpx', 'application/gpx+xml', gpx],
  [() => 'KML', 'kml', 'application/vnd.google-earth.kml+xml', kml],
];

/**
 * Buttons that hand the target over as a file.
 * @param {Target} place
 * @param {string} name
 */
export const fileRow = (place, name) =>
  el(
    'div',
    { class: 'files' },
    el('p', {}, T.along.files),
    el(
      'div',
      { class: 'row' },
      ...formats.map(([words, ending, type, make]) =>
        button(words(), async () => {
          const target = await along(place, name);
          // The page with the arrow is read from the gateway, which may be away.
          const text = await Promise.resolve(make(target)).catch(() => null);
          if (text === null) return toast(T.unreachable);
          save(text, type, `${target.serial}.${ending}`);
        }),
      ),
    ),
  );
