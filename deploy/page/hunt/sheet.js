// The sheet of bearings: take one by its degrees or the phone's compass, and forget others.
import { whenText } from '../drive/words.js';
import { button, el, put, sheet, toast } from '../shared/dom.js';
import { data, listen, mayCommand } from '../shared/stream.js';
import { T } from '../shared/texts.js';
import * as u from '../shared/units.js';
import { directionText, forget, forgetAll, refusal, take, typedDegrees } from './bearing.js';
import { hasCompass, useCompass } from './compass.js';

/** Milliseconds without a word of the compass after which there is none. */
const compassLimit = 3000;

const list = el('ul', { class: 'bearings' });
const place = el('p', { role: 'status' });

/**
 * What the sheet and the map say of a bearing.
 * @param {Report.Bearing} bearing
 */
export const bearingText = ({ bearing_deg: degrees, sigma_deg: sigma, time, used, source }) =>
  u.joined(
    `${directionText(degrees)} ± ${Math.round(sigma)}°`,
    whenText(time),
    source === 'horus' && T.signals.finder,
    used === false && T.signals.unused,
  );

function draw() {
  if (!list.isConnected) return;
  const { bearings, estimate } = data.bearings ?? {};
  const radius = u.text(u.radius(estimate?.error_radius_50_m));
  put(place, estimate ? T.signals.estimate({ n: estimate.bearings, radius }) : T.signals.advice);
  /** @param {Report.Bearing} bearing */
  const row = bearing => {
    const text = bearingText(bearing);
    const act = () => forget(bearing.id);
    const drop = button(T.signals.forget, act, {
      class: 'mine',
      'aria-label': `${T.signals.forget}: ${text}`,
    });
    return el('li', {}, el('span', {}, text), drop);
  };
  list.replaceChildren(...(bearings ?? []).map(row).reverse());
}

listen(draw, 'bearings');

/**
 * The field for the degrees, and what fills it.
 * @param {Placed | undefined} from
 */
function controls(from) {
  const field = el('input', { id: 'degrees', inputmode: 'decimal', maxlength: 8, autocomplete: 'off' });
  const words = el('b');
  const said = () => {
    const degrees = typedDegrees(field.value);
    put(words, Number.isNaN(degrees) ? '' : T.winds[u.octant(degrees)]);
  };
  /** @type {?(() => void)} */
  let end = null;
  const stop = () => {
    end?.();
    end = null;
  };
  field.oninput = () => {
    stop();
    said();
  };
  const isTaken = () => {
    const degrees = typedDegrees(field.value);
    const why = (!from && refusal()) || (Number.isNaN(degrees) && T.signals.wrongDegrees);
    if (why) toast(why);
    else take(degrees, from);
    return false;
  };
  const follow = async () => {
    stop();
    let isThere = false;
    end = await useCompass(degrees => {
      isThere = true;
      field.value = String(Math.round(degrees) % 360);
      said();
    });
    setTimeout(() => !isThere && field.isConnected && toast(T.signals.noCompass), end ? compassLimit : 0);
  };
  const compass = hasCompass() ? [button(T.signals.compass, follow, { id: 'compass' })] : [];
  const form = el(
    'form',
    { class: 'row', onsubmit: isTaken },
    el('label', { class: 'field' }, T.signals.degrees, ' ', words, field),
    ...compass,
    el('button', { class: 'strong', id: 'strongest' }, T.signals.strongest),
  );
  return { form, stop };
}

/**
 * Opens the sheet.
 * @param {Placed} [from]  Where the crew stands, if it is not at the car.
 */
export function showBearings(from) {
  const { form, stop } = controls(from);
  const all = button(T.signals.forgetAll, forgetAll, { class: 'mine wide' });
  const head = mayCommand() ? [form] : [el('p', {}, T.readOnly)];
  const origin = from ? [el('p', { class: 'dim' }, T.signals.from(u.place(from)))] : [];
  const d = sheet(T.signals.bearings, ...origin, ...head, place, list, all);
  d.addEventListener('close', stop);
  draw();
}
