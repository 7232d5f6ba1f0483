// Opens the gateway's event stream while the page's other modules are still on their way: on a slow network both take
// as long.

/** @typedef {{kind: string, text: string, when: number}} Told  `when`: `performance.now()`. */

/** @type {Told[]} */
const told = [];
const kinds = new Set(['topics', 'replaced']);
const source = globalThis.EventSource ? new EventSource('api/events') : null;

/** @param {MessageEvent} event */
function keep(event) {
  told.push({ kind: event.type, text: event.data, when: performance.now() });
  if (event.type !== 'topics') return;
  for (const kind of JSON.parse(event.data)) listenTo(kind);
}

/** @param {string} kind */
function listenTo(kind) {
  kinds.add(kind);
  source?.addEventListener(kind, keep);
}

for (const kind of [...kinds]) source?.addEventListener(kind, keep);

/** Hands over the stream and what it has told; nothing if it failed. */
export function handOver() {
  if (!source || source.readyState === EventSource.CLOSED) return null;
  for (const kind of kinds) source.removeEventListener(kind, keep);
  return { source, told: told.splice(0) };
}
