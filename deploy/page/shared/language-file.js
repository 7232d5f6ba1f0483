// Reads a language's file: lines of a key, " = " and a text. The head of the English file tells the form.

/** The plurals of the rules that a file may name. */
const rules = Object.fromEntries(
  Object.entries({ english: 'en', french: 'fr', polish: 'pl' }).map(([name, tag]) => [
    name,
    new Intl.PluralRules(tag),
  ]),
);

/**
 * A text with values: takes them by their names. A text with one value takes it alone, too.
 * @param {string} text  As "{name}: {value}".
 * @param {(number: number) => string | undefined} [plural]  Another text for this number, which is {n}.
 */
function sentence(text, plural) {
  const names = [...new Set(text.match(/(?<=\{)\w+/g))].sort();
  /** @param {any} values */
  const fill = values => {
    const isAlone = names.length === 1 && (values === null || typeof values !== 'object');
    const named = isAlone ? { [names[0]]: values } : values;
    return (plural?.(named.n) ?? text).replace(/\{(\w+)\}/g, (_, name) => named[name]);
  };
  return Object.assign(fill, { names });
}

/**
 * What a key stands for.
 * @param {string} text
 * @param {(number: number) => string | undefined} plural
 */
function valued(text, plural) {
  if (text.includes('{')) return sentence(text, plural);
  return text.includes(' | ') ? text.split(' | ') : text;
}

/**
 * The texts by their keys.
 * @param {string} file
 */
function lines(file) {
  const found = file.matchAll(/^([\w.-]+) =(?: (.*))?$/gm);
  return new Map([...found].map(([, key, text]) => [key, (text ?? '').replaceAll('~', '\u00a0')]));
}

/**
 * The texts of one group of keys, and the sign before the tenths: `page.phases.landed` is `phases.landed`.
 * @param {string} file
 * @param {string} group
 * @returns {Record<string, any>}
 */
export function textsOf(file, group) {
  const all = lines(file);
  const rule = rules[all.get('plural') ?? ''] ?? rules.english;
  /** @type {Record<string, any>} */
  const texts = { decimal: all.get('decimal') };
  for (const [key, text] of all) {
    if (!key.startsWith(`${group}.`) || /\.(one|few|many)$/.test(key)) continue;
    const path = key.split('.').slice(1);
    const last = path.pop() ?? '';
    let place = texts;
    for (const word of path) {
      place[word] ??= {};
      place = place[word];
    }
    place[last] = valued(text, n => all.get(`${key}.${rule.select(n)}`));
  }
  return texts;
}
