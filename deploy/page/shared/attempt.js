// Calls what must not end its caller.

/**
 * Calls one of several listeners: its failure does not keep the others from being called.
 * @param {() => void} act
 */
export function attempt(act) {
  try {
    act();
  } catch (error) {
    console.error(error);
  }
}
