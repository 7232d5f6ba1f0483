// The ticks of a chart's axis. It reads nothing but its argument.

/**
 * Leaves out each tick that says what the one before says: a short chart has ticks closer than its labels tell.
 * @param {Array<{v: number, label?: string}>} ticks
 */
export const unrepeated = ticks => ticks.filter(({ label }, i) => !label || label !== ticks[i - 1]?.label);
