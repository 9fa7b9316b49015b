/** Files and folders: `files.json`, and the tree below `files/` (docs/interface/deployment.md 2.5). */
import type { GraphNode } from '../../../graph/index.js';
import { holdersOf, typesOf } from '../../../schema/index.js';
import type { JsonObject } from '../../../../shared/json/index.js';
import { together } from '../../../../shared/together.js';
import { prettyJson } from '../../tree/json-styles.js';
import { fileNamed } from '../../tree/target.js';
import { AT_ONCE, FileContents, ROOT, writeContent, type StoredFile } from '../files/contents.js';
import { fileEntry, FILES, isElsewhere } from '../files/entry.js';
import { MadeFiles } from '../files/make.js';
import { readFiles, tellProblems } from '../files/read.js';
import type { Exporting, ReadingExport, Section, SectionWork } from '../section.js';

export const files: Section = {
  title: 'Files',
  write: async (exporting) => {
    const entries = Object.create(null) as JsonObject;
    const paths: string[] = [];
    const all = await exported(exporting);
    const holders = await holdersOf(
      exporting.tx,
      all.map(({ node }) => node.id),
    );
    for (const [i, { path, node, isFolder }] of all.entries()) {
      const at = ROOT + path;
      paths.push(at);
      entries[path] = fileEntry(exporting.schema, node, holders[i]);
      if (isFolder) await exporting.out.folder(at);
      else await writeContent(exporting, at, node);
    }
    exporting.report.begin('Cleaning up files');
    await exporting.out.keepOnly(ROOT, paths);
    await exporting.out.text(FILES, prettyJson(entries));
  },
  read: async (reading) => {
    const entries = await reading.source.objects(FILES);
    return entries === undefined ? undefined : workOf(reading, entries);
  },
};

interface Exported {
  readonly path: string;
  readonly node: GraphNode;
  readonly isFolder: boolean;
}

/** What is flagged at the root of the tree, and all below it, by path. */
async function exported({ tx, schema }: Exporting): Promise<Exported[]> {
  const types = typesOf(schema, 'AbstractFile');
  const where = {
    op: 'and',
    terms: [
      { op: 'equals', key: 'includeInFrontendExport', value: true },
      { op: 'relatedNone', step: { relType: 'CONTAINS', direction: 'in', ...typesOf(schema, 'Folder') } },
    ],
  } as const;
  const all: Exported[] = [];
  let level: Exported[] = [];
  const take = (node: GraphNode, above: string): void => {
    const isFolder = schema.typeOf(node).hasTrait('Folder');
    if (isElsewhere(node)) return;
    level.push({ path: `${above}/${fileNamed(String(node.properties['name']), 'The file')}`, node, isFolder });
  };
  for await (const batch of tx.stream({ kind: 'nodes', trait: 'AbstractFile', ...types, where })) {
    for (const node of batch) take(node, '');
  }
  while (level.length > 0) {
    all.push(...level);
    const open = level.filter(({ node, isFolder }) => isFolder && node.properties['excludeSubtreeFromExport'] !== true);
    level = [];
    const below = await tx.related(
      open.map(({ node }) => node.id),
      { relType: 'CONTAINS', direction: 'out', ...types },
    );
    for (const [i, nodes] of below.entries()) for (const node of nodes) take(node, open[i]?.path ?? '');
  }
  return all.sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function workOf(reading: ReadingExport, said: ReadonlyMap<string, JsonObject>): Promise<SectionWork> {
  const { context, source, signal } = reading;
  const read = await readFiles(context, source, said, signal);
  const contents = new FileContents(context, source);
  reading.afterwards(() => contents.deploying.end());
  const entries: StoredFile[] = [];
  // The disk takes several at a time nearly as fast as one.
  await together(read.entries, AT_ONCE, async (entry, at) => {
    signal.throwIfAborted();
    entries[at] = await contents.of(entry);
  });
  return {
    create: async (into) => {
      const made = new MadeFiles();
      await made.make(into, entries, contents.deploying);
      tellProblems(into.report, read, made.renamed);
    },
  };
}
