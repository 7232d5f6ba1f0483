// The line on the map: what the sonde does, and where to look.
import { $, cls, put } from '../shared/dom.js';
import { aged, facts, hunt, now, phaseWord, sondeLimit } from '../shared/model.js';
import { chase, data, flight, heard, position } from '../shared/stream.js';
import { T } from '../shared/texts.js';
import * as u from '../shared/units.js';

// "east 80° · 12° high · 7.6 km": where to look from the car. Within the GPS's accuracy it is random.
function look({ isThere }) {
  const sonde = chase()?.sonde;
  if (isThere || !u.known(sonde?.bearing_deg)) return null;
  const high = sonde.elevation_deg >= 0 && T.elevation(Math.round(sonde.elevation_deg));
  const far = u.known(sonde.distance_m) && u.text(u.distance(sonde.distance_m));
  return u.joined(`${T.winds[u.octant(sonde.bearing_deg)]} ${Math.round(sonde.bearing_deg)}°`, high, far);
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
  const phase = data.state?.serial ? phaseWord(f) : hunt() ? T.advices.signal : T.nothing;
  put($('phase'), isSeen ? '' : phase);
  const climb = flight()?.vertical_speed_mps;
  // The last place in the air is not where a guessed landing is.
  const live = s.isGuess
    ? []
    : [
        p && !isDown && u.text(u.height(p.altitude_m)),
        p && !isDown && u.known(climb) && u.text(u.climb(climb)),
        look(s),
      ];
  put($('status'), u.joined(data.state?.serial, ...live, words));
  cls($('status'), 'old', isOld);
}
