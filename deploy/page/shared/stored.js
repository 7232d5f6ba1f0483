// What the browser keeps for this page. Private windows and blocked site data keep nothing, and reading throws
// there: then this page remembers it until it is closed.

/**
 * @typedef {object} Shelf
 * @property {(key: string) => string | undefined} read
 * @property {(key: string, value: string) => void} keep
 * @property {(key: string) => void} drop
 */

/**
 * @param {() => Storage} storage  It throws, or returns null, where nothing is kept.
 * @returns {Shelf}
 */
export function shelf(storage) {
  /** @type {Map<string, string>} */
  const remembered = new Map();
  return {
    read(key) {
      try {
        return storage().getItem(key) ?? remembered.get(key);
      } catch {
        return remembered.get(key);
      }
    },
    keep(key, value) {
      try {
        storage().setItem(key, value);
        remembered.delete(key);
      } catch {
        remembered.set(key, value);
      }
    },
    drop(key) {
      remembered.delete(key);
      try {
        storage().removeItem(key);
      } catch {
        // Nothing is kept there.
      }
    },
  };
}

/** Kept for all pages of this gateway in this browser. */
export const stored = shelf(() => localStorage);
