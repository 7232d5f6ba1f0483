// The choice of the page's language.
import { el } from './dom.js';
import { names } from './language.js';
import { stored } from './stored.js';
import { chooseLanguage, T } from './texts.js';

/** Makes a list to choose from. */
export function languageChoice() {
  const chosen = stored.read('language') ?? '';
  /** @param {string} value  @param {string} text  @param {?string} lang */
  const option = (value, text, lang) => el('option', { value, lang, selected: value === chosen }, text);
  const list = el(
    'select',
    { 'aria-label': T.language, onchange: () => chooseLanguage(list.value) },
    option('', T.named({ name: T.language, value: T.browsersLanguage }), null),
    ...Object.entries(names).map(([value, text]) => option(value, text, value)),
  );
  return el('div', { class: 'row' }, list);
}
