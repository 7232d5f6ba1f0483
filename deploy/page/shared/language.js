// Which language the page speaks.
import { stored } from './stored.js';

/** The languages of the folder `languages`, by their own names. */
export const names = { en: 'English', de: 'Deutsch', fr: 'Français', it: 'Italiano' };
export const languages = Object.keys(names);

/**
 * The language chosen on the page, else the first of the browser's that the page has, else the gateway's.
 * @param {?string} [chosen]
 * @param {readonly string[]} [browsers]  As "de-CH".
 * @param {?string} [gateways]
 */
export function languageOf(chosen, browsers, gateways) {
  const known = name => languages.includes(name);
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

// The page's start runs this first, so that the texts come beside the modules, not after them.
if (globalThis.document) {
  const link = Object.assign(document.createElement('link'), { rel: 'modulepreload' });
  link.href = new URL(`../languages/${wanted()}.js`, import.meta.url).href;
  document.head.append(link);
}
