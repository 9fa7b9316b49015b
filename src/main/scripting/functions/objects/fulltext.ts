/** Looking for words in full-text indexes (docs/interface/schema.md 6, docs/interface/scripting.md 8.1). */
import {
  type GraphEntity,
  GraphError,
  parseTextQuery,
  type ReadTransaction,
  type TextIndexDefinition,
  type TextMatch,
  type TextQuery,
} from '../../../graph/index.js';
import type { ScriptContext } from '../../run/run.js';
import { ScriptError } from '../../language/errors.js';
import type { FunctionCategory, ScriptFunction } from '../../run/function/function.js';
import type { ScriptValue } from '../../language/values.js';
import { shown } from '../../run/function/pairs.js';

/** Results of a search. */
const MOST = 10;
/** Matches that are asked for together, and looked through at most: of who may read little, what is among the best of all. */
const AT_ONCE = 100;
const LOOKED_AT = 10_000;

const WORDS =
  'Words are separated by blanks, and any of them may be there; `"several words"` side by side; `*` and `?` stand for letters, ' +
  '`word~` and `word~1` for words that differ in two letters or one; `+word`, `-word`, `AND`, `OR`, `NOT` and parentheses combine them. ' +
  'A pattern that stands for too many words is refused, but not one that only ends with `*`. What a word is, the database decides: ' +
  'SQLite ends it at every sign that is no letter or digit, Neo4j takes `3.14`, `snake_case` and `example.com` for one word each.';

export const fulltextFunctions: FunctionCategory = {
  title: 'Full-text search',
  functions: [
    searching(
      'searchFulltext',
      'node',
      'At most ten objects whose text in the full-text index `<Type>_<property>_fulltext` fits, best first, each as a map with `node` and ' +
        '`score` (1 for the best, less for the others); those that the user may read, of the 10,000 best. A property has such an index with `fulltext = true`. ',
      "searchFulltext('Project_description_fulltext', 'garden*')",
    ),
    searching(
      'searchRelationshipsFulltext',
      'relationship',
      'The same for properties of relationships, each as a map with `relationship` and `score`. ',
      "searchRelationshipsFulltext('PersonKNOWSPerson_comment_fulltext', 'school')",
    ),
  ],
};

function searching(name: string, key: 'node' | 'relationship', meaning: string, example: string): ScriptFunction {
  return {
    name,
    signature: `${name}(index, text)`,
    meaning: meaning + WORDS,
    example,
    min: 2,
    max: 2,
    run: async ([index = null, text = null], context) => {
      for (const [value, what] of [
        [index, 'the name of an index'],
        [text, 'a text to look for'],
      ] as const) {
        if (value === null || shown(value).trim() === '') throw new ScriptError(422, `${name}() needs ${what}.`);
      }
      const known = context.run.schema.textIndexes.find((one) => one.name === shown(index));
      if (known === undefined || (known.kind === 'nodes') !== (key === 'node')) {
        throw new ScriptError(422, `${name}(): there is no full-text index '${shown(index)}' of ${key}s.`);
      }
      const query = queryIn(shown(text), name);
      if (query === undefined) return [];
      const found = await context.run.transaction.read((tx) => readable(tx, known, query, context));
      return found.map(
        ({ entity, score }): ScriptValue =>
          new Map<string, ScriptValue>([
            [key, context.run.entities.of(entity)],
            ['score', score],
          ]),
      );
    },
  };
}

function queryIn(text: string, name: string): TextQuery | undefined {
  try {
    return parseTextQuery(text);
  } catch (error) {
    if (error instanceof GraphError) throw new ScriptError(422, `${name}(): ${error.message}`);
    throw error;
  }
}

interface Found {
  readonly entity: GraphEntity;
  readonly score: number;
}

async function readable(
  tx: ReadTransaction,
  index: TextIndexDefinition,
  query: TextQuery,
  { access }: ScriptContext,
): Promise<Found[]> {
  const rule = access.rule('read');
  const matches = await matchesOf(tx, index.name, query, rule === undefined ? MOST : LOOKED_AT);
  const { kind, types } = index;
  const found: Found[] = [];
  for (let from = 0; from < matches.length && found.length < MOST; from += AT_ONCE) {
    const some = matches.slice(from, from + AT_ONCE);
    const where = { op: 'in', key: 'id', values: some.map(({ id }) => id) } as const;
    const asked = { types, where, ...(rule === undefined ? {} : { access: rule }) };
    // What may not be read is never loaded.
    const entities: readonly GraphEntity[] =
      kind === 'nodes'
        ? await tx.find({ kind: 'nodes', ...asked })
        : await tx.find({ kind: 'relationships', ...asked });
    const byId = new Map(entities.map((entity) => [entity.id, entity]));
    for (const { id, score } of some) {
      const entity = byId.get(id);
      if (entity !== undefined) found.push({ entity, score });
    }
  }
  return relative(found.slice(0, MOST));
}

/**
 * Scores beside the best one, in hundredths: as they come from the index they tell how many texts have a word, those that
 * the user may not read among them.
 */
function relative(found: readonly Found[]): Found[] {
  const best = found[0]?.score ?? 1;
  return found.map(({ entity, score }) => ({ entity, score: Math.round((100 * score) / best) / 100 }));
}

async function matchesOf(tx: ReadTransaction, index: string, query: TextQuery, limit: number): Promise<TextMatch[]> {
  try {
    return await tx.search(index, query, { offset: 0, limit });
  } catch (error) {
    if (!(error instanceof GraphError)) throw error;
    if (error.code === 'invalid_query') throw new ScriptError(422, error.message);
    // The schema has it, and the database not yet.
    if (error.code === 'not_found') throw new ScriptError(503, `The full-text index ${index} is being made.`);
    throw error;
  }
}
