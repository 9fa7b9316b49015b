/**
 * Every function and keyword, in both languages, on the database of the server under test: the documented examples that say their
 * result, and the rows of `function-rows.ts`.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { categories } from '../../src/main/scripting/functions/table.js';
import { keywords } from '../../src/main/scripting/run/names/keywords.js';
import { TestServer } from '../support/server.js';
import { ELSEWHERE, rows, type Row } from './function-rows.js';

let server: TestServer;

const functions = categories.flatMap((category) => category.functions).filter((one) => one.hidden !== true);

/** Examples that speak of what a server of another kind has. */
const ABOUT_OTHERS = new Set(Object.values(ELSEWHERE).flat());

/** Examples with a result; its text is everything behind ` // `. */
const examples: readonly Row[] = functions.flatMap(({ name, example }) => {
  const at = example.lastIndexOf(' // ');
  return at < 0 || ABOUT_OTHERS.has(name) ? [] : [{ expression: example.slice(0, at), result: example.slice(at + 4) }];
});

const TOKEN = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[A-Za-z_][\w.]*|./gs;
const FINDING = /^(?:find|search|findPrivileged)$/;
const PREDICATES = new Set(functions.flatMap(({ name }) => (name.startsWith('find.') ? [name.slice(5)] : [])));
const LITERALS = new Set(['true', 'false', 'null']);

/** An expression in JavaScript: names are members of `$`, predicates within `find` those of `$.predicate`. */
function javascriptOf(expression: string): string {
  const inside: boolean[] = [];
  let last = '';
  let out = '';
  const tokens = expression.match(TOKEN) ?? [];
  for (const [i, token] of tokens.entries()) {
    if (/^[A-Za-z_]/.test(token)) {
      const isPredicate = tokens[i + 1] === '(' && inside.at(-1) === true && PREDICATES.has(token);
      // Behind a call: `get(x).name`.
      const isMember = out.endsWith('.');
      out += LITERALS.has(token) || isMember ? token : isPredicate ? `$.predicate.${token}` : `$.${token}`;
    } else out += token;
    if (token === '(') inside.push(FINDING.test(last) || (inside.at(-1) === true && PREDICATES.has(last)));
    if (token === ')') inside.pop();
    last = token;
  }
  // A group puts texts together.
  return expression.startsWith('(') ? `[${out.slice(1, -1)}].filter((one) => one !== null).join('')` : out;
}

/** Whole numbers print with a decimal in expressions and without in JavaScript (docs/interface/scripting.md 4.1, 4.2). */
function plain(text: string): string {
  return text.replace(/(\d)\.0(?![\d.])/g, '$1');
}

async function evaluate(source: string): Promise<string> {
  const { status, body, text } = await server.admin.post('/table?name=given', { source });
  expect(Math.trunc(status / 100), `${source}: ${text}`).toBe(2);
  return plain(String(body.result));
}

beforeAll(async () => {
  server = await TestServer.start({
    settings: { 'security.jwt.secret': 'a secret of the tests, with more than 32 characters' },
  });
  const { admin } = server;
  const thing = await admin.create('SchemaNode', {
    name: 'Thing',
    schemaProperties: [
      { name: 'title', propertyType: 'String' },
      { name: 'size', propertyType: 'Integer', indexed: true },
      { name: 'code', propertyType: 'String', unique: true, indexed: true },
      { name: 'fixed', propertyType: 'String', readOnly: true },
    ],
  });
  await admin.create('SchemaNode', { name: 'Place', inheritedTraits: ['Location'] });
  await admin.create('SchemaRelationshipNode', {
    sourceId: thing,
    targetId: thing,
    relationshipType: 'NEAR',
    sourceMultiplicity: '*',
    targetMultiplicity: '*',
    sourceJsonName: 'nearFrom',
    targetJsonName: 'near',
  });
  const b = await admin.create('Thing', { name: 'b', size: 2 });
  await admin.create('Thing', { name: 'a', size: 1, code: 'code-a', near: [b] });
  await admin.create('Thing', { name: 'self' });
  await admin.create('Place', { name: 'near', latitude: 50.1, longitude: 8.6 });
  await admin.create('Place', { name: 'far', latitude: 10, longitude: 10 });
  await admin.create('User', { name: 'jane', password: 'secret-of-jane' });
  await admin.create('Group', { name: 'team' });
  await admin.create('MailTemplate', { name: 'welcome', locale: 'en', text: 'Dear ${this.name}' });
  await admin.create('SchemaMethod', { name: 'twice', source: "concat(retrieve('text'), retrieve('text'))" });
  await admin.create('SchemaMethod', {
    name: 'table',
    source: "evaluateScript(first(find('Thing', 'name', 'self')), retrieve('source'))",
  });
});
afterAll(() => server.stop());

describe.each([
  ['an expression', (one: Row) => one.expression],
  ['JavaScript', (one: Row) => `{ ${one.javascript ?? javascriptOf(one.expression)} }`],
])('as %s', (_, sourceOf) => {
  it.each([...examples, ...rows].map((one) => [sourceOf(one), one.result] as const))('%s', async (source, result) => {
    const found = await evaluate(source);
    if (typeof result === 'string') expect(found).toBe(plain(result));
    else expect(found).toMatch(result);
    // What it made is of no interest for the next one.
    if (/create\('Thing'/.test(source))
      await evaluate("delete(find('Thing', 'name', 'made'), find('Thing', 'name', null))");
  });
});

describe('the table', () => {
  const called = new Set(
    [...examples, ...rows].flatMap(({ expression, javascript = '' }) => [
      ...(expression.match(/\w+(?=\()/g) ?? []),
      ...(javascript.match(/\w+(?=\()/g) ?? []),
    ]),
  );
  const elsewhere = Object.entries(ELSEWHERE);

  it('has a row for every function', () => {
    const known = new Set(elsewhere.flatMap(([, names]) => names));
    const missing = functions.filter(({ name }) => !called.has(name.replace(/^find\./, '')) && !known.has(name));
    expect(missing.map(({ name }) => name)).toEqual([]);
  });

  it('has a row for every keyword', () => {
    const known = new Set(elsewhere.flatMap(([, names]) => names));
    const words = new Set(
      rows.flatMap(({ expression }) => expression.replace(/'[^']*'/g, '').match(/[A-Za-z]\w*/g) ?? []),
    );
    expect(keywords.map(({ name }) => name).filter((name) => !words.has(name) && !known.has(name))).toEqual([]);
  });

  it('names files that test the rest', async () => {
    for (const [file, names] of elsewhere) {
      const text = await readFile(join(import.meta.dirname, file), 'utf8');
      for (const name of names) expect(new RegExp(`\\b${name}\\b`).test(text), `${name} in ${file}`).toBe(true);
    }
  });
});
