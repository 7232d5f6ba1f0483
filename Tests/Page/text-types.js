// Makes TypeScript's types of the page's texts from the English file: `node text-types.js > texts.d.ts`.
import { fileURLToPath } from 'node:url';
import { texts } from './texts.js';

/** The members of a group of texts. */
const membersOf = group =>
  Object.entries(group)
    .map(([key, text]) => `${JSON.stringify(key)}: ${typeOf(text)};`)
    .join(' ');

/**
 * The type of a text, a list, a sentence with values, or a group of them. A group is also asked by a code that the
 * gateway tells, which it may lack.
 * @param {any} text
 * @returns {string}
 */
export function typeOf(text) {
  if (typeof text === 'string') return 'string';
  if (Array.isArray(text)) return 'string[]';
  if (typeof text === 'function') {
    const { names } = text;
    const values = names.map(name => `${name}: unknown;`).join(' ');
    return `(values: ${names.length === 1 ? 'unknown' : `{ ${values} }`}) => string`;
  }
  const isPlain = Object.values(text).every(value => typeof value === 'string');
  return `{ ${membersOf(text)} [code: string]: ${isPlain ? 'string' : 'any'}; }`;
}

/** The types of the groups of texts that a page loads. */
export const declarations = () =>
  [
    '// Made of Sources/Languages/Texts/en.txt by Tests/Page/text-types.js.',
    'declare namespace Texts {',
    `interface Page { ${membersOf(texts('en', 'page'))} }`,
    `interface Board { ${membersOf(texts('en', 'board'))} }`,
    '}',
    '',
  ].join('\n');

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(declarations());
