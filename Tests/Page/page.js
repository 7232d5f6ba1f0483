// What the modules with words find of a browser: the texts of a language, and elements that take everything.
import { readFileSync } from 'node:fs';

const ids = {};

const element = () => ({
  children: [],
  dataset: {},
  style: {},
  setAttribute() {},
  append() {},
  querySelector: () => null,
});

/**
 * Loads modules of the page as a browser with this language does.
 * @param {string[]} paths  Below deploy/page.
 * @param {string} [language]
 * @returns {Promise<any>}  All that they export.
 */
export async function load(paths, language = 'en') {
  const file = readFileSync(
    new URL(`../../Sources/Languages/Texts/${language}.txt`, import.meta.url),
    'utf8',
  );
  const globals = {
    document: {
      body: element(),
      documentElement: element(),
      createElement: element,
      getElementById(id) {
        ids[id] ??= element();
        return ids[id];
      },
      querySelector: name => (name.includes('languages') ? { getAttribute: () => `${language} x` } : null),
    },
    navigator: { languages: [language] },
    fetch: async () => ({ ok: true, text: async () => file, json: async () => null }),
    localStorage: { getItem: () => null },
    matchMedia: () => ({ matches: false, addEventListener() {} }),
    window: {},
  };
  for (const [name, value] of Object.entries(globals))
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  const modules = await Promise.all(paths.map(path => import(`../../deploy/page/${path}`)));
  return Object.assign({}, ...modules);
}

/**
 * Tells the page reports, as the gateway's stream does; what was told before is forgotten.
 * @param {any} stream  The module `stream`.
 * @param {Record<string, any>} reports
 */
export function tell(stream, reports) {
  const handlers = {};
  const source = {
    addEventListener(name, act) {
      handlers[name] = act;
    },
    close() {},
  };
  for (const name in stream.data) delete stream.data[name];
  stream.useSource(() => source);
  handlers.topics({ data: JSON.stringify(Object.keys(reports)) });
  for (const [kind, report] of Object.entries(reports)) handlers[kind]({ data: JSON.stringify(report) });
}

/** Spaces as they are typed.  @param {string} text */
export const plain = text => text.replace(/[\u00a0\u202f]/g, ' ');
