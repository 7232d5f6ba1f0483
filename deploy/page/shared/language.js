// Which language the page speaks.
import { stored } from './stored.js';

const told = globalThis.document?.querySelector('meta[name="languages"]')?.getAttribute('content');

/**
 * The languages by their own names. The gateway writes them into the page, and has a file for each: `languages/de.txt`.
 * @type {Record<string, string>}
 */
export const names = Object.fromEntries((told ?? 'en English').split(', ').map(one => one.split(' ')));
const languages = Object.keys(names);

/**
 * The language chosen on the page, else the first of the browser's that the page has, else the gateway's.
 * @param {?string} [chosen]
 * @param {readonly string[]} [browsers]  As "de-CH".
 * @param {?string} [gateways]
 * @param {string[]} [all]  The page's.
 * @returns {string}
 */
export function languageOf(chosen, browsers, gateways, all = languages) {
  /** @param {?string | undefined} name  @returns {name is string} */
  const known = name => name != null && all.includes(name);
  if (known(chosen)) return chosen;
  const first = (browsers ?? []).map(name => name.slice(0, 2).toLowerCase()).find(known);
  return first ?? (known(gateways) ? gateways : 'en');
}

/**
 * The name for times of day and dates: the browser's own if it is of this language.
 * @param {string} language
 * @param {readonly string[]} [browsers]
 */
export const localeOf = (language, browsers) =>
  (browsers ?? []).find(name => name.slice(0, 2).toLowerCase() === language) ?? language;

/** The language of this page, as "de". The gateway's is that of the last time. */
export const wanted = () =>
  languageOf(stored.read('language'), navigator.languages, stored.read('gatewayLanguage'));

/** @param {Response} answer */
async function content(answer) {
  if (!answer.ok) throw new Error(`no texts: ${answer.status}`);
  return answer.text();
}

/**
 * The language's file. The page's start runs this module first, so that the texts come beside the modules, not after
 * them.
 */
export const file = globalThis.document
  ? fetch(new URL(`../languages/${wanted()}.txt`, import.meta.url)).then(content)
  : Promise.resolve('');
