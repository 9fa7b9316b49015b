/** The sources of all files that are evaluated when they are read, for who looks through the scripts of the database. */
import type { GraphNode } from '../../graph/index.js';
import { ALLOW_ALL, typesOf, type ObjectTransaction } from '../../schema/index.js';
import { placeOfContent, samePlace, sizeOf } from '../content/place.js';
import type { FilesContext } from '../context.js';
import { pathOfFile } from '../imports/source.js';
import { isEvaluated, MOST_EVALUATED } from '../serve/templates.js';
import { checksumsOf, largestFile } from '../upload/upload-target.js';

/** Files that are read at once. */
const BATCH = 100;

/** `path`: for who reads the log. */
export type TemplateSource = { readonly file: GraphNode; readonly path: string } & (
  { readonly source: string } | { readonly source: undefined; readonly problem: string }
);

export class TemplateSources {
  constructor(private readonly context: FilesContext) {}

  /** Those of all templates, one in memory at a time; without source, but with a problem, where it cannot be read as a text. */
  async *all(): AsyncGenerator<TemplateSource> {
    const ids = await this.#ids();
    for (let from = 0; from < ids.length; from += BATCH) {
      const nodes = await this.context.graph.read((tx) => tx.nodes(ids.slice(from, from + BATCH)));
      for (const file of nodes) if (file !== undefined && isEvaluated(file)) yield await this.#sourceOf(file);
    }
  }

  /**
   * Gives a template another source, unless its content was replaced since: stores it, and has `transact` run what makes it the file's
   * in a transaction with everybody's rights.
   */
  async replace(
    { file }: TemplateSource,
    source: string,
    transact: (publish: (objects: ObjectTransaction) => Promise<void>) => Promise<void>,
  ): Promise<void> {
    const { contents, config, graph, schemas } = this.context;
    const checksums = await graph.read((tx) => checksumsOf({ tx, schema: schemas.schema }, config, file));
    const bytes = Buffer.from(source);
    const received = await contents.receive(file, piece(bytes), {
      limit: Math.max(largestFile(config), bytes.length),
      checksums,
    });
    try {
      await transact(async (objects) => {
        const now = await objects.tx.node(file.id);
        if (now === undefined || !isEvaluated(now) || !samePlace(placeOfContent(now), placeOfContent(file))) return;
        await contents.publish(objects, now, received);
      });
    } finally {
      // Removed unless it is the file's now.
      await contents.abandon(received);
    }
  }

  #ids(): Promise<string[]> {
    const { graph, schemas } = this.context;
    const where = { op: 'equals', key: 'isTemplate', value: true } as const;
    return graph.read(
      async (tx) => {
        const ids: string[] = [];
        const query = { kind: 'nodes', trait: 'File', ...typesOf(schemas.schema, 'File'), where } as const;
        for await (const nodes of tx.stream(query)) for (const { id } of nodes) ids.push(id);
        return ids;
      },
      { timeout: 0 },
    );
  }

  async #sourceOf(file: GraphNode): Promise<TemplateSource> {
    const path = `${file.type}[${file.id}]:${await pathOfFile(this.context, file, ALLOW_ALL)}`;
    const without = (problem: string): TemplateSource => ({ file, path, source: undefined, problem });
    if (sizeOf(file) > MOST_EVALUATED) return without('too large to be evaluated');
    try {
      const bytes = await this.context.contents.readWhole(file);
      const source = bytes.toString('utf8');
      return Buffer.from(source).equals(bytes) ? { file, path, source } : without('not looked at: it is not UTF-8');
    } catch (error) {
      return without(`not looked at: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

async function* piece(bytes: Buffer): AsyncGenerator<Buffer> {
  if (bytes.length > 0) yield bytes;
}
