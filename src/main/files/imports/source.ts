/** The file that an import reads. */
import type { GraphNode } from '../../graph/index.js';
import { allowed, typesOf, type Actor } from '../../schema/index.js';
import type { FilesContext } from '../context.js';
import { placeOfContent } from '../content.js';
import { FilesError } from '../errors.js';
import { JobError } from '../jobs/job.js';
import { rightsNow } from '../jobs/rights.js';

const DEEPEST = 256;

/** The file as it is when the import begins. Throws `JobError` when its user may not read it any more. */
export async function fileNow(context: FilesContext, asked: Actor, file: GraphNode): Promise<GraphNode> {
  const { access } = await rightsNow(context, asked);
  const now = await context.graph.read(async (tx) => {
    const node = await tx.node(file.id);
    return node !== undefined && (await allowed(tx, access, 'read', node)) ? node : undefined;
  });
  if (now === undefined) throw new JobError('The file is gone, or may not be read any more.');
  return now;
}

/** Where a file lies, for those who look at its job. */
export async function pathOfFile({ graph, schemas }: FilesContext, file: GraphNode): Promise<string> {
  return graph.read(async (tx) => {
    const step = { relType: 'CONTAINS', direction: 'in', ...typesOf(schemas.schema, 'Folder') } as const;
    const names: string[] = [];
    let at: GraphNode | undefined = file;
    while (at !== undefined && names.length < DEEPEST) {
      const { id, properties }: GraphNode = at;
      names.unshift(typeof properties['name'] === 'string' ? properties['name'] : id);
      at = (await tx.related([id], step, 1))[0]?.[0];
    }
    return `/${names.join('/')}`;
  });
}

/** Why the content could not be read to its end: it may have got another one meanwhile. */
export async function explained({ graph }: FilesContext, file: GraphNode, error: unknown): Promise<unknown> {
  if (!(error instanceof FilesError)) return error;
  const now = await graph.read((tx) => tx.node(file.id));
  if (now !== undefined && placeOfContent(now).key === placeOfContent(file).key) return error;
  return new JobError('The content of the file was replaced or deleted during the import.', [], { cause: error });
}
