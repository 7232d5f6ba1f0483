// The line on the map: what the sonde does, and where to look.
import { motionText } from '../drive/words.js';
import { $, cls, put } from '../shared/dom.js';
import { aged, facts, hunt, now, sondeLimit } from '../shared/model.js';
import { chase, data, flight, heard, position } from '../shared/stream.js';
import { T } from '../shared/texts.js';
import * as u from '../shared/units.js';

/**
 * "look east 80°, 12° high, 7.6 km away": where the sonde is from the car. Within the GPS's accuracy it is random.
 * @param {{isThere: boolean}} situation
 */
export function look({ isThere }) {
  const sonde = chase()?.sonde;
  if (isThere || !sonde || !u.known(sonde.bearing_deg)) return null;
  const { elevation_deg: elevation } = sonde;
  const high = u.known(elevation) && elevation >= 0 && T.elevation(Math.round(elevation));
  const far = u.known(sonde.distance_m) && T.away(u.text(u.distance(sonde.distance_m)));
  const wind = `${T.winds[u.octant(sonde.bearing_deg)]} ${Math.round(sonde.bearing_deg)}°`;
  return T.look([wind, high, far].filter(Boolean).join(', '));
}

/** Draws the line. A landing is said large. */
export function drawStatus() {
  const f = facts();
  const s = now();
  const p = position();
  const isDown = f.phase === 'landed';
  const { words, isOld } = aged('', heard(), sondeLimit());
  cls($('phase'), 'landed', isDown);
  // The bar above says a landing that was seen, and the text beside the place how high it lies.
  const isSeen = isDown && !s.isGuess;
  // The last place in the air is not where a guessed landing is.
  const speed = s.isGuess || isDown ? null : flight()?.vertical_speed_mps;
  const phase = data.state?.serial ? motionText(speed) : hunt() ? T.advices.signal : T.nothing;
  put($('phase'), isSeen ? '' : phase);
  const live = s.isGuess ? [] : [p && !isDown && u.text(u.height(p.altitude_m)), look(s)];
  put($('status'), u.joined(data.state?.serial, ...live, words));
  cls($('status'), 'old', isOld);
}
