// The page's texts, in the language of this page. The gateway has a file for each language.
import { file, localeOf, wanted } from './language.js';
import { textsOf } from './language-file.js';
import { stored } from './stored.js';

/** The language of this page, as "de". */
export const language = wanted();
export const locale = localeOf(language, navigator.languages);
document.documentElement.lang = language;

export const T = /** @type {Texts.Page} */ (textsOf(await file, 'page'));

/**
 * A text by a key that comes from a table, as of a screen or a row; undefined if there is none.
 * @param {string} key
 * @returns {string}
 */
export const textBy = key => /** @type {Record<string, any>} */ (T)[key];

/**
 * Notes the gateway's language; the page starts anew if it is now another one.
 * @param {?string} [name]
 */
export function useGatewaysLanguage(name) {
  if (!name || stored.read('gatewayLanguage') === name) return;
  stored.keep('gatewayLanguage', name);
  if (wanted() !== language) location.reload();
}

/**
 * Chooses a language on this page; empty: as in the browser.
 * @param {string} name
 */
export function chooseLanguage(name) {
  if (name) stored.keep('language', name);
  else stored.drop('language');
  if (wanted() !== language) location.reload();
}
