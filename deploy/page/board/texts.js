// The board's texts, in the language of this page.
import { file } from '../shared/language.js';
import { textsOf } from '../shared/language-file.js';

export const B = /** @type {Texts.Board} */ (textsOf(await file, 'board'));
