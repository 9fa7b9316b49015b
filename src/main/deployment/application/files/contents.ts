/** Contents of files, on their way out of an application and in (docs/interface/deployment.md 2.5). */
import type { GraphNode } from '../../../graph/index.js';
import type { DeployedContent, DeployedFiles } from '../../../files/index.js';
import type { DeploymentContext } from '../../common/context.js';
import type { ExportSource } from '../../tree/source.js';
import type { ExportTarget } from '../../tree/target.js';
import type { FileEntry } from './entry.js';

export const ROOT = 'files';
/** Files whose contents are stored at a time. */
export const AT_ONCE = 16;

/** The content as it is stored. A file of the same checksum is not written again. */
export async function writeContent(
  { out, context }: { readonly out: ExportTarget; readonly context: DeploymentContext },
  path: string,
  node: GraphNode,
): Promise<void> {
  const { size, checksum } = node.properties;
  const deploying = context.files.deploying();
  if (
    (await out.size(path)) === (typeof size === 'number' ? size : 0) &&
    checksum !== undefined &&
    (await deploying.checksum(out.read(path))) === checksum
  )
    return;
  await out.bytes(path, context.files.rawContentOf(node));
}

/** A file whose content is stored, or a folder. */
export interface StoredFile extends FileEntry {
  /** Undefined: it keeps what it has. */
  readonly content: DeployedContent | undefined;
}

/** Contents of files that come, stored before the transaction that makes the files. */
export class FileContents {
  readonly deploying: DeployedFiles;

  constructor(
    private readonly context: DeploymentContext,
    private readonly source: ExportSource,
  ) {
    this.deploying = context.files.deploying();
  }

  /** Stores the content of a file, unless the one that is there has the same. Throws `FilesError` 413 for what is larger than files may be. */
  async of(entry: FileEntry): Promise<StoredFile> {
    const { id, path, isFolder } = entry;
    if (isFolder) return { ...entry, content: undefined };
    const { graph, schemas } = this.context;
    const { deploying, source } = this;
    const bytes = (): AsyncIterable<Buffer> => source.bytes(ROOT + path);
    const there = await graph.read((tx) => tx.node(id));
    const isFile = there !== undefined && schemas.schema.typeOf(there).hasTrait('File');
    const { checksum } = there?.properties ?? {};
    const isSame = isFile && checksum !== undefined && (await deploying.checksum(bytes())) === checksum;
    const name = path.slice(path.lastIndexOf('/') + 1);
    const content = isSame ? undefined : await deploying.store(id, isFile ? there : undefined, name, bytes());
    return { ...entry, content };
  }
}
