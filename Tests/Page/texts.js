// The languages' files, as the gateway serves them.
import { readdirSync, readFileSync } from 'node:fs';
import { textsOf } from '../../deploy/page/shared/language-file.js';

const folder = new URL('../../Sources/Languages/Texts/', import.meta.url);

/** The names of the languages that have a file. */
export const files = readdirSync(folder).map(name => name.replace('.txt', ''));

/** @param {string} language  @param {string} group */
export const texts = (language, group) =>
  textsOf(readFileSync(new URL(`${language}.txt`, folder), 'utf8'), group);
