/** The file that an import reads. */
import type { GraphNode } from '../../graph/index.js';
import { allowed, upwards, type Actor, type ObjectAccess } from '../../schema/index.js';
import type { FilesContext } from '../context.js';
import { placeOfContent } from '../content/place.js';
import { FilesError } from '../errors.js';
import { JobError } from '../jobs/job.js';
import { rightsNow } from '../jobs/rights.js';
import { refuseEvaluated } from '../serve/templates.js';

/** The file as it is when the import begins. Throws `JobError` when its user may not read it any more. */
export async function fileNow(context: FilesContext, asked: Actor, file: GraphNode): Promise<GraphNode> {
  const { access } = await rightsNow(context, asked);
  const now = await context.graph.read(async (tx) => {
    const node = await tx.node(file.id);
    return node !== undefined && (await allowed(tx, access, 'read', node)) ? node : undefined;
  });
  if (now === undefined) throw new JobError('The file is gone, or may not be read any more.');
  refuseEvaluated(now);
  return now;
}

/** Where a file lies, as far as its user sees: a folder that he may not read ends the path (docs/interface/files.md 1.5). */
export async function pathOfFile(
  { graph, schemas }: FilesContext,
  file: GraphNode,
  access: ObjectAccess,
): Promise<string> {
  const names: string[] = [];
  await graph.read(async (tx) => {
    for await (const node of upwards({ tx, schema: schemas.schema }, file)) {
      if (node.id !== file.id && !(await allowed(tx, access, 'read', node))) return;
      const { name } = node.properties;
      names.unshift(typeof name === 'string' ? name : node.id);
    }
  });
  return `/${names.join('/')}`;
}

/** Why the content could not be read to its end: it may have got another one meanwhile. */
export async function explained({ graph }: FilesContext, file: GraphNode, error: unknown): Promise<unknown> {
  if (!(error instanceof FilesError)) return error;
  const now = await graph.read((tx) => tx.node(file.id));
  if (now !== undefined && placeOfContent(now).key === placeOfContent(file).key) return error;
  return new JobError('The content of the file was replaced or deleted during the import.', [], { cause: error });
}
