// Makes TypeScript's types of the reports from their JSON schemas: `node reports.js > reports.d.ts`.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = new URL('../../Fixtures/schemas/', import.meta.url);
const ending = '.schema.json';
/** No report of a gateway: Home Assistant's, and what the doctor sends. */
const others = /^(homeassistant|doctor)/;
const simple = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
};

const isEmpty = schema => schema.maxProperties === 0;
const union = types => [...new Set(types)].join(' | ');
const choices = schema => schema.anyOf ?? schema.oneOf ?? [];
/** Members of which a report has all or none, as JSON Schema says it by `dependentRequired`. */
const together = schema =>
  Object.entries(schema.dependentRequired ?? {}).flatMap(([name, others]) => [name, ...others]);
const isOptional = schema => choices(schema).some(isEmpty) || together(schema).length > 0;

function arrayOf({ items, prefixItems, minItems, maxItems }) {
  if (prefixItems) return `[${prefixItems.map(typeOf).join(', ')}]`;
  const type = items ? typeOf(items) : 'unknown';
  return minItems === 2 && maxItems === 2 ? `[${type}, ${type}]` : `Array<${type}>`;
}

function objectOf(schema) {
  const { properties, additionalProperties: rest } = schema;
  if (!properties) return `Record<string, ${rest ? typeOf(rest) : 'unknown'}>`;
  const required = [schema, ...choices(schema)].flatMap(one => one.required ?? []).concat(together(schema));
  const members = Object.entries(properties).map(([name, member]) => {
    const words = member.description ? `/** ${member.description} */ ` : '';
    return `${words}${name}${required.includes(name) ? '' : '?'}: ${typeOf(member)};`;
  });
  return `{ ${members.join(' ')} }`;
}

/**
 * A schema as a type. Its empty alternative is left out.
 * @param {any} schema
 * @returns {string}
 */
export function typeOf(schema) {
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum) return union(schema.enum.map(value => JSON.stringify(value)));
  if (choices(schema).length && !schema.properties)
    return union(
      choices(schema)
        .filter(one => !isEmpty(one))
        .map(typeOf),
    );
  const made = [schema.type ?? []].flat().map(type => {
    if (type === 'object') return objectOf(schema);
    if (type === 'array') return arrayOf(schema);
    return simple[type];
  });
  if (!made.length || made.includes(undefined)) throw new Error(`no type: ${JSON.stringify(schema)}`);
  return union(made);
}

/** `command_response` is `CommandResponse`. */
const nameOf = kind => kind.replace(/(?:^|_)(\w)/g, (_, letter) => letter.toUpperCase());

/**
 * The types of all reports.
 * @param {Record<string, any>} schemas  By kind.
 */
export function declarations(schemas) {
  const kinds = Object.entries(schemas);
  const optional = kinds.filter(([, schema]) => isOptional(schema)).map(([kind]) => JSON.stringify(kind));
  return [
    '// Made of Fixtures/schemas by Tests/Page/reports.js.',
    'declare namespace Report {',
    ...kinds.map(
      ([kind, schema]) => `/** ${schema.description} */ type ${nameOf(kind)} = ${typeOf(schema)};`,
    ),
    `interface Kinds { ${kinds.map(([kind]) => `${kind}: ${nameOf(kind)};`).join(' ')} }`,
    '/** The kinds whose report is an empty object while there is nothing to tell. */',
    `type Optional = ${optional.join(' | ') || 'never'};`,
    '}',
    '',
  ].join('\n');
}

/** The schemas of the reports, by kind. */
export const schemas = () =>
  Object.fromEntries(
    readdirSync(folder)
      .filter(name => name.endsWith(ending) && !others.test(name))
      .sort()
      .map(name => [name.replace(ending, ''), JSON.parse(readFileSync(new URL(name, folder), 'utf8'))]),
  );

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(declarations(schemas()));
