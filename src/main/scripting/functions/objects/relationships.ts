/** Relationships between objects (docs/interface/script-runtime.md 8.6). */
import type { GraphRelationship } from '../../../graph/index.js';
import { onlyReadable, type Schema } from '../../../schema/index.js';
import type { ScriptContext } from '../../run/run.js';
import { MOST_ENTITIES, tooManyEntities } from '../../run/entities.js';
import type { FunctionCategory, ScriptFunction } from '../../run/function/function.js';
import type { ScriptEntity, ScriptValue } from '../../language/values.js';
import { ofObjects, pairsIn, shown } from '../../run/function/pairs.js';

type Direction = 'in' | 'out' | 'both';

export const relationshipFunctions: FunctionCategory = {
  title: 'Relationships',
  functions: [
    ofObjects(
      {
        name: 'createRelationship',
        signature: 'createRelationship(from, to, relType [, key, value... | map])',
        meaning: 'Links two objects by the relationship type of the schema that fits them; answers the relationship.',
        example: "createRelationship(find('User', 'name', 'jane')[0], me, 'KNOWS')",
        min: 3,
      },
      [undefined, undefined],
      async ([from, to], [relType = null, ...values], context) => {
        if (from === undefined || to === undefined || relType === null) return null;
        const type = relationshipType(from, to, shown(relType), context);
        if (type === undefined) return 'Error: there is no such relationship type between these objects.';
        const pairs: [string, ScriptValue][] = [
          ['sourceId', from.id],
          ['targetId', to.id],
        ];
        return context.run.entities.createFrom(type, [...pairs, ...pairsIn(values, 0)], context);
      },
    ),
    ofNode('incoming', 'Relationships that lead to an object.', 'in'),
    ofNode('outgoing', 'Relationships that lead from an object.', 'out'),
    between('hasRelationship', 'Whether two objects are linked, in either direction.', 'both', true),
    between('hasIncomingRelationship', 'Whether a relationship leads from the second object to the first.', 'in', true),
    between(
      'hasOutgoingRelationship',
      'Whether a relationship leads from the first object to the second.',
      'out',
      true,
    ),
    between('getRelationships', 'The relationships between two objects, in either direction.', 'both', false),
    between('getIncomingRelationships', 'The relationships from the second object to the first.', 'in', false),
    between('getOutgoingRelationships', 'The relationships from the first object to the second.', 'out', false),
    ofObjects(
      {
        name: 'getRelationshipTypes',
        signature: 'getRelationshipTypes(node [, "existing" | "schema" [, "both" | "incoming" | "outgoing"]])',
        meaning:
          'Names of the relationship types that an object has relationships of, or that the schema knows for it.',
        example: "getRelationshipTypes(me, 'schema', 'outgoing')",
        min: 1,
        max: 3,
      },
      [undefined],
      async ([one], [which = 'existing', direction = 'both'], context) => {
        if (one === undefined) return null;
        const wanted: Direction = direction === 'incoming' ? 'in' : direction === 'outgoing' ? 'out' : 'both';
        if (which !== 'schema') {
          const found = await relationshipsOf(one, wanted, undefined, context);
          return [...new Set(found.map(({ relType }) => relType))];
        }
        const type = context.run.schema.typeOf(one.entity);
        const fits = (trait: string): boolean => trait === 'NodeInterface' || type.hasTrait(trait);
        const names = [...context.run.schema.relations.values()]
          .filter((r) => (wanted !== 'in' && fits(r.source)) || (wanted !== 'out' && fits(r.target)))
          .map((r) => r.relType);
        return [...new Set(names)];
      },
    ),
  ],
};

/** By the type's own name, or by its name in the database where the ends fit. */
function relationshipType(
  from: ScriptEntity,
  to: ScriptEntity,
  name: string,
  { run }: ScriptContext,
): ReturnType<typeof run.schema.type> {
  const { schema } = run;
  const [source, target] = [schema.typeOf(from.entity), schema.typeOf(to.entity)];
  for (const relation of schema.relations.values()) {
    const fits =
      (relation.source === 'NodeInterface' || source.hasTrait(relation.source)) &&
      (relation.target === 'NodeInterface' || target.hasTrait(relation.target));
    if (fits && (relation.relType === name || relation.name === name)) return schema.type(relation.name);
  }
  return undefined;
}

/** Relationships whose other end the context may read: of one type, or of all that the schema knows. */
async function relationshipsOf(
  node: ScriptEntity,
  direction: Direction,
  relType: string | undefined,
  { run, access }: ScriptContext,
): Promise<GraphRelationship[]> {
  const { known, only } = typesInDatabase(run.schema, relType);
  return run.transaction.read(async (tx) => {
    const found = new Map<string, GraphRelationship>();
    // A schema has many types of relationships, a node has few: each is a statement.
    const there = new Map<string, Set<string>>();
    for (const way of ways(direction))
      there.set(way, new Set(only === undefined ? await tx.relTypes(node.id, way) : [only]));
    for (const one of only === undefined ? known : [only]) {
      for (const way of ways(direction)) {
        if (there.get(way)?.has(one) !== true) continue;
        const step = onlyReadable({ relType: one, direction: way }, access);
        const [links = []] = await tx.links([node.id], step, MOST_ENTITIES + 1);
        for (const { relationship, node: far } of links)
          if (run.schema.type(far.type) !== undefined) found.set(relationship.id, relationship);
        if (found.size > MOST_ENTITIES) throw tooManyEntities();
      }
    }
    return [...found.values()];
  });
}

/** The same between two objects, however many others one of them is linked with. */
async function relationshipsBetween(
  from: ScriptEntity,
  to: ScriptEntity,
  direction: Direction,
  relType: string | undefined,
  { run, access }: ScriptContext,
): Promise<GraphRelationship[]> {
  const { known, only } = typesInDatabase(run.schema, relType);
  return run.transaction.read(async (tx) => {
    const other = await tx.node(to.id);
    const rule = access.rule('read');
    if (other === undefined || (rule !== undefined && (await tx.permitted([other], rule))[0] !== true)) return [];
    const found = new Map<string, GraphRelationship>();
    for (const way of ways(direction)) {
      const [sourceId, targetId] = way === 'out' ? [from.id, to.id] : [to.id, from.id];
      const links = await tx.find({ kind: 'relationships', sourceId, targetId, limit: MOST_ENTITIES + 1 });
      if (links.length > MOST_ENTITIES) throw tooManyEntities();
      for (const one of links) {
        if (only === undefined ? known.has(one.relType) : one.relType === only) found.set(one.id, one);
      }
    }
    return [...found.values()];
  });
}

function ways(direction: Direction): readonly ('in' | 'out')[] {
  return direction === 'both' ? ['out', 'in'] : [direction];
}

/** Types of relationships as in the database: all that the schema knows, and the one that is asked for. */
function typesInDatabase(schema: Schema, relType: string | undefined): { known: ReadonlySet<string>; only?: string } {
  const known = new Set([...schema.relations.values()].map((one) => one.relType));
  return relType === undefined ? { known } : { known, only: schema.relations.get(relType)?.relType ?? relType };
}

function ofNode(name: string, meaning: string, direction: Direction): ScriptFunction {
  return ofObjects(
    { name, signature: `${name}(node [, relType])`, meaning, example: `${name}(me)`, min: 1, max: 2 },
    [undefined],
    async ([one], [relType], context) => {
      if (one === undefined) return null;
      const found = await relationshipsOf(one, direction, typeof relType === 'string' ? relType : undefined, context);
      return found.map((relationship) => context.run.entities.of(relationship));
    },
  );
}

function between(name: string, meaning: string, direction: Direction, asked: boolean): ScriptFunction {
  return ofObjects(
    {
      name,
      signature: `${name}(from, to [, relType])`,
      meaning,
      example: `${name}(me, find('Group', 'name', 'Editors')[0])`,
      min: 2,
      max: 3,
    },
    [undefined, undefined],
    async ([from, to], [relType], context) => {
      if (from === undefined || to === undefined) return null;
      const wanted = typeof relType === 'string' ? relType : undefined;
      const found = await relationshipsBetween(from, to, direction, wanted, context);
      return asked ? found.length > 0 : found.map((relationship) => context.run.entities.of(relationship));
    },
  );
}
