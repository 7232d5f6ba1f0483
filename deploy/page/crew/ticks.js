// The ticks of a chart's axis. It reads nothing but its argument.

/** The width of labels with a short unit, pixels. */
const usualWidth = 84;
/** What a sign takes, pixels, and the most signs of a number: "−2 000" and the space behind it. */
const signWidth = 8.4;
const numberSigns = 7;

/**
 * How wide the labels of an axis are, pixels.
 * @param {string} unit  The unit behind each number.
 */
export const labelWidth = unit => Math.max(usualWidth, Math.ceil(signWidth * (numberSigns + unit.length)));

/**
 * Leaves out each tick that says what the one before says: a short chart has ticks closer than its labels tell.
 * @param {Array<{v: number, label?: string}>} ticks
 */
export const unrepeated = ticks => ticks.filter(({ label }, i) => !label || label !== ticks[i - 1]?.label);
