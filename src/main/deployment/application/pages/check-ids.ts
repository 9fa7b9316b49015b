/** Ids in the files of pages, components and templates: well formed, and each of one thing. */
import { idsIn, withoutShown, type ExportedTree, type HtmlNode } from '../../../pages/index.js';
import { TimeSlice } from '../../../../shared/time-slice.js';
import { DeploymentError } from '../../common/errors.js';
import type { ReadPages } from './read-pages.js';

/** Throws `DeploymentError` that names the files. Takes out of the trees what they only show of components. */
export async function checkIds(read: ReadPages, pattern: RegExp): Promise<void> {
  const inComponents = new Map<string, ReadonlySet<string>>();
  for (const { id, nodes } of read.components) inComponents.set(id, new Set([...idsIn(nodes)].map((one) => one.id)));
  const shown = (key: string): ReadonlySet<string> | undefined =>
    inComponents.get(key.slice(-32)) ?? inComponents.get(key.slice(-36));
  const cleaned = <T extends ExportedTree>(items: readonly T[]): T[] =>
    items.map((item) => ({ ...item, nodes: withoutShown(item.nodes, shown) }));
  read.components = cleaned(read.components);
  read.pages = cleaned(read.pages);
  const known = new Map<string, string>();
  const templates = new Set(read.templates.map(({ id }) => id));
  const claim = (id: string, place: string): void => {
    if (!pattern.test(id)) throw new DeploymentError(`${place}: "${id.slice(0, 100)}" is no id.`);
    const other = known.get(id);
    if (other !== undefined) throw new DeploymentError(`${place} has the id ${id}, as ${other} has.`);
    known.set(id, place);
  };
  for (const { id, place } of read.templates) claim(id, place);
  for (const { id, place } of read.pages) claim(id, place);
  for (const { id, place } of read.components) if (!templates.has(id)) claim(id, place);
  const slice = new TimeSlice();
  for (const { id, place, nodes } of [...read.components, ...read.pages]) {
    if (slice.due) await slice.pause();
    const own = rootId(nodes, id);
    for (const said of idsIn(nodes)) {
      if (said.id === own) continue;
      const isTemplate = said.tag === 'svc:template' && templates.has(said.id);
      if (!isTemplate) claim(said.id, `${place}, ${said.where}`);
    }
  }
}

/** The element that stands for the whole file has the id of its entry. */
function rootId(nodes: readonly HtmlNode[], id: string): string | undefined {
  return [...idsIn(nodes)].some((one) => one.id === id) ? id : undefined;
}
