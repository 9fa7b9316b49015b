/** Files and folders of a data export: their contents below `files/`, and what is said of them in `files.json` (docs/interface/deployment.md 4.2). */
import type { GraphNode, ReadTransaction } from '../../graph/index.js';
import { holdersOf, inParts, typesOf, type Schema } from '../../schema/index.js';
import type { JobControl } from '../../files/index.js';
import { ROOT, writeContent } from '../application/files/contents.js';
import { fileEntry, FILES, isElsewhere } from '../application/files/entry.js';
import type { DeploymentContext } from '../common/context.js';
import type { Report } from '../common/report.js';
import { prettyJson } from '../tree/json-styles.js';
import { fileNamed, type ExportTarget } from '../tree/target.js';

/** Paths of folders that are only there because of what is in them. */
export const PARENTS = 'file-parents.json';
/** Members that an object of JSON may have, where it is read again. */
const MOST = 100_000;

interface Place {
  readonly id: string;
  readonly name: string;
  readonly parent: string | undefined;
  readonly isFolder: boolean;
  /** It is of a type that was asked for. */
  readonly isChosen: boolean;
  readonly isElsewhere: boolean;
}

export interface FilesExport {
  readonly context: DeploymentContext;
  readonly tx: ReadTransaction;
  readonly schema: Schema;
  readonly out: ExportTarget;
  readonly report: Report;
  readonly job: JobControl;
  /** Objects that are read at once. */
  readonly size: number;
}

/** Writes all files and folders of these types, and the folders above them. Throws `DeploymentError`. */
export async function exportFiles(exporting: FilesExport, types: readonly string[]): Promise<void> {
  const { context, tx, schema, out, report, job, size } = exporting;
  report.begin('Files');
  const places = new Map<string, Place>();
  for await (const batch of tx.stream({ kind: 'nodes', trait: 'AbstractFile', types })) {
    for (const part of inParts(batch)) for (const one of await placesOf(exporting, part, true)) places.set(one.id, one);
    await job.checkpoint();
  }
  for (let missing = parentsIn(places); missing.length > 0; missing = parentsIn(places)) {
    for (const part of inParts(missing)) {
      const nodes = (await tx.nodes(part)).filter((node) => node !== undefined);
      const found = await placesOf(exporting, nodes, false);
      for (const one of found) places.set(one.id, one);
      // They went meanwhile.
      for (const id of part) if (!places.has(id)) places.set(id, { ...NOWHERE, id });
    }
  }
  const paths = pathsOf(places);
  if (paths.length > MOST)
    report.warn('Many files', `${FILES} has ${String(paths.length)} entries; an import reads at most ${String(MOST)}.`);
  await out.bytes(
    FILES,
    objectText(async function* () {
      for (let at = 0; at < paths.length; at += size) {
        const part = paths.slice(at, at + size);
        const ids = part.map(({ place }) => place.id);
        const [nodes, holders] = await Promise.all([tx.nodes(ids), holdersOf(tx, ids)]);
        for (const [i, { path }] of part.entries()) {
          const node = nodes[i];
          if (node === undefined) continue;
          if (schema.typeOf(node).hasTrait('Folder')) await out.folder(ROOT + path);
          else await writeContent({ out, context }, ROOT + path, node);
          yield [path, prettyJson(fileEntry(schema, node, holders[i]))] as const;
        }
        job.chunk({ objects: part.length });
        await job.checkpoint();
      }
    }),
  );
  const parents = paths.filter(({ place }) => !place.isChosen).map(({ path }) => path);
  await out.text(PARENTS, prettyJson(parents));
  if (parents.length > 0)
    report.inform(
      'Folders that come with files',
      `${String(parents.length)} folders are exported because of what is in them.`,
    );
}

const NOWHERE = { name: '', parent: undefined, isFolder: true, isChosen: false, isElsewhere: true } as const;

async function placesOf({ tx, schema }: FilesExport, nodes: readonly GraphNode[], isChosen: boolean): Promise<Place[]> {
  const parents = await tx.related(
    nodes.map(({ id }) => id),
    { relType: 'CONTAINS', direction: 'in', ...typesOf(schema, 'Folder') },
    1,
  );
  return nodes.flatMap((node, i): Place[] => {
    // They are made of their images.
    if (node.properties['isThumbnail'] === true) return [];
    const name = fileNamed(String(node.properties['name']), 'The file');
    const isFolder = schema.typeOf(node).hasTrait('Folder');
    return [{ id: node.id, name, parent: parents[i]?.[0]?.id, isFolder, isChosen, isElsewhere: isElsewhere(node) }];
  });
}

function parentsIn(places: ReadonlyMap<string, Place>): string[] {
  const missing = new Set<string>();
  for (const { parent } of places.values()) if (parent !== undefined && !places.has(parent)) missing.add(parent);
  return [...missing];
}

/** By path; without what lies in mounted directories, and in what is not there. */
function pathsOf(places: ReadonlyMap<string, Place>): { readonly path: string; readonly place: Place }[] {
  const known = new Map<string, string | undefined>();
  const pathOf = (place: Place): string | undefined => {
    if (known.has(place.id)) return known.get(place.id);
    // A folder is never in itself; until its path is known it has none.
    known.set(place.id, undefined);
    const parent = place.parent === undefined ? undefined : places.get(place.parent);
    const above = place.parent === undefined ? '' : parent === undefined ? undefined : pathOf(parent);
    const path = above === undefined || place.isElsewhere ? undefined : `${above}/${place.name}`;
    known.set(place.id, path);
    return path;
  };
  const all: { readonly path: string; readonly place: Place }[] = [];
  for (const place of places.values()) {
    const path = pathOf(place);
    if (path !== undefined) all.push({ path, place });
  }
  return all.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** An object of JSON in the style `pretty`, of members as they come. */
async function* objectText(
  members: () => AsyncIterable<readonly [key: string, text: string]>,
): AsyncGenerator<Buffer, void, undefined> {
  let isFirst = true;
  for await (const [key, text] of members()) {
    yield Buffer.from(`${isFirst ? '{' : ','}\n  ${prettyJson(key)}: ${text.replaceAll('\n', '\n  ')}`);
    isFirst = false;
  }
  yield Buffer.from(isFirst ? '{}' : '\n}');
}
