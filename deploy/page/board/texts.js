// The board's texts, in the language of this page.
import { file } from '../shared/language.js';
import { textsOf } from '../shared/language-file.js';

export const B = textsOf(await file, 'board');
