/** Types for data of which the schema knows nothing: objects of types that are gone, and what other clients of the database have written. */
import type { GraphNode } from '../../../graph/index.js';
import type { JobControl } from '../../../files/index.js';
import {
  PROPERTY_NAME,
  relationTypeName,
  SchemaError,
  TYPE_NAME,
  type ObjectTransaction,
  type Schema,
} from '../../../schema/index.js';
import { logger } from '../../../../shared/log.js';
import type { JsonObject } from '../../../../shared/json/index.js';
import { asJob } from '../as-job.js';
import { writing } from '../batches.js';
import type { CommandContext, MaintenanceCommand } from '../command.js';
import { Parameters } from '../parameters.js';
import { Findings } from './findings.js';
import { findForeign } from './foreign-data.js';

const log = logger('maintenance');
const NAME = 'analyzeSchema';

export const analyzeSchema: MaintenanceCommand = {
  name: NAME,
  tellsTimes: true,
  run(context, input) {
    const parameters = new Parameters(NAME, input);
    parameters.only();
    return asJob(context, NAME, { background: parameters.flag('background'), tells: true }, async (job) => {
      const findings = new Findings();
      await findNodes(context, job, findings);
      await findRelationships(context, job, findings);
      await findForeign(context, job, findings);
      return writeTypes(context, job, findings);
    });
  },
};

async function findNodes({ graph, schemas }: CommandContext, job: JobControl, findings: Findings): Promise<void> {
  const known = [...schemas.schema.types.keys()];
  const where = { op: 'not', term: { op: 'in', key: 'type', values: known } } as const;
  await graph.read(
    async (tx) => {
      job.phase('looking at nodes');
      for await (const batch of tx.stream({ kind: 'nodes', where })) {
        for (const { type, properties } of batch) {
          for (const [key, value] of Object.entries(properties)) findings.type(type).add(key, value);
        }
        job.chunk({ objects: batch.length });
        await job.checkpoint();
      }
    },
    { timeout: 0, signal: job.signal },
  );
}

async function findRelationships(
  { graph, schemas }: CommandContext,
  job: JobControl,
  findings: Findings,
): Promise<void> {
  const known = [...schemas.schema.types.keys()];
  const where = { op: 'not', term: { op: 'in', key: 'type', values: known } } as const;
  await graph.read(
    async (tx) => {
      job.phase('looking at relationships');
      for await (const batch of tx.stream({ kind: 'relationships', where })) {
        const ends = await tx.nodes(batch.flatMap(({ sourceId, targetId }) => [sourceId, targetId]));
        for (const [i, { type, relType, properties }] of batch.entries()) {
          const [source, target] = [ends[2 * i], ends[2 * i + 1]];
          if (source === undefined || target === undefined) continue;
          const relation = findings.relation(type, relType, source.type, target.type);
          for (const [key, value] of Object.entries(properties)) relation.add(key, value);
        }
        job.chunk({ objects: batch.length });
        await job.checkpoint();
      }
    },
    { timeout: 0, signal: job.signal },
  );
}

/** All of them in one transaction: a relationship needs the types of its ends. */
async function writeTypes(context: CommandContext, job: JobControl, findings: Findings): Promise<JsonObject> {
  const { schemas, actor, access } = context;
  job.phase('writing types');
  const result = await schemas.write(actor, access, writing(context, NAME), async (objects) => {
    const types = await nodeTypes(objects, job, findings);
    const relationships = await relationshipTypes(objects, job, findings, types);
    return { types: [...types.keys()], relationships };
  });
  log.info(
    `${NAME}: ${String(result.types.length)} types and ${String(result.relationships.length)} types of relationships are new`,
  );
  return result;
}

async function nodeTypes(
  objects: ObjectTransaction,
  job: JobControl,
  findings: Findings,
): Promise<Map<string, string>> {
  const made = new Map<string, string>();
  const [schemaNode, base] = [objects.schema.type('SchemaNode'), objects.schema.type('NodeInterface')];
  if (schemaNode === undefined || base === undefined) return made;
  for (const [name, { keys }] of findings.types) {
    if (objects.schema.type(name) !== undefined) continue;
    if (!TYPE_NAME.test(name)) {
      job.problem(`${name} is no name of a type: it begins with a capital letter, and has letters, digits and _`);
      continue;
    }
    const schemaProperties = propertiesOf(job, name, keys, (key) => base.properties.has(key));
    const node = await attempt(job, name, () => objects.create(schemaNode, { name, schemaProperties }));
    if (node !== undefined) made.set(name, node.id);
  }
  return made;
}

async function relationshipTypes(
  objects: ObjectTransaction,
  job: JobControl,
  findings: Findings,
  made: ReadonlyMap<string, string>,
): Promise<string[]> {
  const names: string[] = [];
  const [schemaRelation, base] = [
    objects.schema.type('SchemaRelationshipNode'),
    objects.schema.type('RelationshipInterface'),
  ];
  if (schemaRelation === undefined || base === undefined) return names;
  for (const { type, relType, source, target, keys } of findings.relations.values()) {
    const name = relationTypeName(source, relType, target);
    const [sourceId, targetId] = [idOf(objects.schema, made, source), idOf(objects.schema, made, target)];
    if (objects.schema.type(name) !== undefined || names.includes(name)) continue;
    const why =
      sourceId === undefined || targetId === undefined
        ? 'one of its ends is of no type of the application'
        : type !== undefined && type !== name
          ? `it would be called ${name}`
          : undefined;
    if (why !== undefined) {
      job.problem(`${type ?? relType} from ${source} to ${target} is left out: ${why}`);
      continue;
    }
    const input = {
      sourceId: sourceId ?? '',
      targetId: targetId ?? '',
      relationshipType: relType,
      sourceMultiplicity: '*',
      targetMultiplicity: '*',
      schemaProperties: propertiesOf(job, name, keys, (key) => base.properties.has(key)),
    };
    if ((await attempt(job, name, () => objects.create(schemaRelation, input))) !== undefined) names.push(name);
  }
  return names;
}

function idOf(schema: Schema, made: ReadonlyMap<string, string>, type: string): string | undefined {
  return made.get(type) ?? schema.type(type)?.schemaNodeId;
}

/** As schema properties; what is called as no property may be gets a name of its own, as long as that is clear. */
function propertiesOf(
  job: JobControl,
  type: string,
  keys: ReadonlyMap<string, string | undefined>,
  isKnown: (key: string) => boolean,
): JsonObject[] {
  const properties: JsonObject[] = [];
  for (const [key, propertyType] of keys) {
    const name = key.charAt(0).toLowerCase() + key.slice(1);
    if (isKnown(key)) continue;
    if (propertyType === undefined || !PROPERTY_NAME.test(name) || isKnown(name) || (name !== key && keys.has(name))) {
      job.problem(
        `${type}.${key} is left out: ${propertyType === undefined ? 'the service has no such values' : 'it is no name of a property'}`,
      );
      continue;
    }
    properties.push({ name, propertyType, ...(name === key ? {} : { dbName: key }) });
  }
  return properties;
}

/** What cannot be made is told; the others are made. */
async function attempt(job: JobControl, name: string, work: () => Promise<GraphNode>): Promise<GraphNode | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    job.problem(`${name}: ${error.message}`);
    return undefined;
  }
}
