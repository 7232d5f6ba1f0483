// The newest report of each sonde on the receiver's frequency. Two may transmit in turn.
import { age, data, listen, now } from '../shared/stream.js';
import { choose } from './signal.js';

/** Milliseconds after which a sonde is forgotten, unless it was the last one. */
const forgetAfter = 180000;

/**
 * By serial.
 * @type {Map<?string, import('./signal.js').Heard>}
 */
const reports = new Map();
/** @type {?string | undefined} */
let shown;

listen(() => {
  const report = data.signal;
  if (typeof report?.rssi_dbm !== 'number') return;
  reports.delete(report.serial);
  for (const [serial, one] of reports) if (now() - one.at > forgetAfter) reports.delete(serial);
  reports.set(report.serial, { report, at: now() - age('signal') });
}, 'signal');

/** The signal to show now; null before the first. */
export function signal() {
  const chosen = choose([...reports.values()], data.state?.serial, shown, now());
  if (chosen) shown = chosen.serial;
  return chosen;
}
