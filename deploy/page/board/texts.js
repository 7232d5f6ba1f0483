// The board's texts, in the language of this page.
import { language } from '../shared/texts.js';

/** @type {typeof import('./languages/en.js').texts} */
export const B = (await import(`./languages/${language}.js`)).texts;
