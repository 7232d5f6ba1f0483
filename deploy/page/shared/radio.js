// The frequencies of the receiver and of the sonde. It reads nothing but its arguments.

/**
 * The frequency on which the sonde transmits, MHz; null if it is unknown.
 * The receiver's own frequency is the sonde's
 * only while it hears the sonde.
 * @param {?Report.Radio} radio
 * @param {?string} [source]  Who hears the sonde.
 */
export function sondeFrequency(radio, source) {
  if (!radio) return null;
  if (typeof radio.sonde_frequency_mhz === 'number') return radio.sonde_frequency_mhz;
  return source === 'ble' && radio.source === 'ble' ? (radio.frequency_mhz ?? null) : null;
}

/** MHz by which two frequencies may differ and be the same: the receiver takes steps of 10 Hz. */
const sameWithin = 0.0005;

/**
 * Whether the receiver is tuned there: tuning again changes nothing.
 * @param {?Report.Radio} radio
 * @param {?number} [frequency]  MHz.
 */
export const isTuned = (radio, frequency) =>
  typeof radio?.frequency_mhz === 'number' &&
  typeof frequency === 'number' &&
  Math.abs(radio.frequency_mhz - frequency) < sameWithin;
