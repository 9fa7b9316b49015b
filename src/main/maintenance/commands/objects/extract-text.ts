/** Texts of files read anew, of all or of some: after settings have changed, a language was installed, or for files from before there were texts. */
import { setTimeout as sleep } from 'node:timers/promises';
import { folderAt, QUEUED, RUNNING, SchemaError, segmentsOf, typesOf, type Type } from '../../../schema/index.js';
import type { GraphNode, NodeQuery, Predicate } from '../../../graph/index.js';
import type { JobControl } from '../../../files/index.js';
import { asJob } from '../as-job.js';
import { changeAll, writing } from '../batches.js';
import type { CommandContext, MaintenanceCommand } from '../command.js';
import { Parameters } from '../parameters.js';
import { nodeType } from '../types.js';

const NAME = 'extractText';
/** Tells files that wait for this command alone, from those with new content, and from videos that are to be converted. */
const ASKED = 'Its text is read anew.';
/** Milliseconds between two looks at how much is left. */
const LOOK = 500;

export const extractText: MaintenanceCommand = {
  name: NAME,
  async run(context, input) {
    const { schema } = context.schemas;
    const parameters = new Parameters(NAME, input);
    parameters.only('type', 'folder');
    const type = nodeType(schema, parameters.text('type') ?? 'File');
    if (!type.hasTrait('File')) throw parameters.wrong('type', 'a type of files');
    const path = parameters.text('folder');
    const folder = path === undefined ? undefined : await folderNamed(context, path);
    const background = parameters.flag('background');
    return asJob(context, NAME, { background }, async (job) => {
      let queued = 0;
      for await (const query of queries(context, type, folder)) {
        queued += (await queue(context, job, query)).changed;
      }
      await untilRead(context, job, queued);
      return { queued };
    });
  },
};

/** By its path or id. Throws `SchemaError` 422. */
function folderNamed({ graph, schemas: { schema } }: CommandContext, path: string): Promise<GraphNode> {
  return graph.read(async (tx) => {
    let folder: GraphNode | undefined;
    if (path.startsWith('/')) {
      for (const name of segmentsOf(path)) {
        folder = await folderAt({ tx, schema }, folder, name);
        if (folder === undefined) break;
      }
    } else folder = await tx.node(path);
    if (folder === undefined || !schema.typeOf(folder).hasTrait('Folder'))
      throw new SchemaError(`There is no folder ${path}.`, [
        { property: 'folder', token: 'object_not_found', detail: path },
      ]);
    return folder;
  });
}

/** Files of the type; those of a folder and of all below it. */
async function* queries(
  { graph, schemas: { schema } }: CommandContext,
  type: Type,
  folder: GraphNode | undefined,
): AsyncGenerator<NodeQuery, void, undefined> {
  if (folder === undefined) {
    yield { kind: 'nodes', trait: type.name, types: type.concreteTypes };
    return;
  }
  const inside = (id: string, trait: string): NodeQuery => {
    const types = typesOf(schema, trait);
    return { kind: 'nodes', trait, ...types, from: { id, step: { relType: 'CONTAINS', direction: 'out', ...types } } };
  };
  const folders = [folder.id];
  for (let id = folders.pop(); id !== undefined; id = folders.pop()) {
    yield inside(id, type.name);
    const below = inside(id, 'Folder');
    for (const next of await graph.read((tx) => tx.find(below))) folders.push(next.id);
  }
}

function queue(context: CommandContext, job: JobControl, query: NodeQuery): Promise<{ changed: number }> {
  return changeAll(context, job, NAME, {
    phase: 'finding files',
    query,
    change: async (objects, node) => {
      const { version = 0, processingState, conversionVersion, extractedContent } = node.properties;
      // What waits for something else is read then; conversions that failed must not begin again.
      if (processingState === QUEUED || processingState === RUNNING || conversionVersion !== undefined) return false;
      const type = objects.schema.typeOf(node);
      if (type.hasTrait('VideoFile') && extractedContent === undefined) return false;
      const wants = objects.schema.settings.processing?.wants;
      if (wants?.(node, (name) => type.hasTrait(name)) !== true) return false;
      await objects.tx.updateNode(node.id, {
        processingState: QUEUED,
        processingMessage: ASKED,
        processingProgress: null,
        processedVersion: version,
      });
      objects.touch(node.id);
      return true;
    },
  });
}

/** Waits for what is being read; when the job is ended, what has not begun stays as it was. */
async function untilRead(context: CommandContext, job: JobControl, queued: number): Promise<void> {
  if (queued === 0) return;
  const { graph, schemas } = context;
  const files = { kind: 'nodes', trait: 'File', ...typesOf(schemas.schema, 'File') } as const;
  const inState = (...values: string[]): Predicate => ({
    op: 'and',
    terms: [
      { op: 'in', key: 'processingState', values },
      { op: 'equals', key: 'processingMessage', value: ASKED },
    ],
  });
  const waits = { ...files, where: inState(QUEUED, RUNNING) };
  const count = async (): Promise<number> => (await graph.read((tx) => tx.count(waits))).count;
  let left = await count();
  job.phase('reading text', left);
  try {
    while (left > 0) {
      await sleep(LOOK, undefined, { signal: job.signal }).catch(() => undefined);
      await job.checkpoint();
      const now = await count();
      if (now < left) job.chunk({ objects: left - now });
      left = now;
    }
  } catch (error) {
    if (job.signal.aborted) await giveUp(context, { ...files, where: inState(QUEUED) });
    throw error;
  }
}

/** What waits does not any more, a page at a time. */
async function giveUp(context: CommandContext, query: NodeQuery): Promise<void> {
  const { schemas, actor, access } = context;
  for (;;) {
    const done = await schemas.write(actor, access, writing(context, NAME), async ({ tx }) => {
      const some = await tx.find({ ...query, limit: 1000 });
      for (const { id } of some) await tx.updateNode(id, { processingState: null, processingMessage: null });
      return some.length;
    });
    if (done === 0) return;
  }
}
