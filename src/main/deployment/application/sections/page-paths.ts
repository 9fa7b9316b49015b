/** Routes of pages and their parameters, `page-paths.json`. */
import type { JsonObject } from '../../../../shared/json/index.js';
import { DeploymentError } from '../../common/errors.js';
import { createMarked, listSection, textOf, typeNamed, valuesOf } from '../list-section.js';
import { markedIn, markedLinks, markLinks } from '../marked-links.js';
import { textAt } from '../../tree/principal-names.js';
import { objectAt } from '../../tree/source.js';

const OPTIONAL = ['name', 'valueType', 'defaultValue', 'position'];

const KINDS = [
  ['HAS_PATH', 'in'],
  ['HAS_PARAMETER', 'out'],
] as const;

export const pagePaths = listSection({
  title: 'Page Paths',
  file: 'page-paths.json',
  type: 'PagePath',
  keys: ['id', 'name', 'priority', 'visibleToAuthenticatedUsers', 'visibleToPublicUsers'],
  sortedBy: ({ name }) => [textOf(name)],
  style: 'pretty',
  rights: 'owner and grantees',
  more: async ({ tx, schema }, nodes) => {
    const ids = nodes.map(({ id }) => id);
    const [pages, parameters, marks] = await Promise.all([
      tx.related(ids, { relType: 'HAS_PATH', direction: 'in' }, 1),
      tx.related(ids, { relType: 'HAS_PARAMETER', direction: 'out' }),
      markedLinks(tx, nodes, KINDS),
    ]);
    return nodes.map((_, i) => {
      const page = pages[i]?.[0];
      const all = (parameters[i] ?? []).map((node) =>
        withoutUnset(valuesOf(schema, node, ['id', 'isOptional', ...OPTIONAL])),
      );
      all.sort((a, b) => Number(a['position'] ?? 0) - Number(b['position'] ?? 0));
      return { page: page === undefined ? null : { id: page.id }, parameters: all, ...marks[i] };
    });
  },
  input: (values, place) => {
    markedIn(values, place);
    const { page, parameters = [] } = values;
    if (page !== null && page !== undefined) textAt(objectAt(page, `${place}.page`)['id'], `${place}.page.id`);
    if (!Array.isArray(parameters)) throw new DeploymentError(`${place}.parameters: a list is expected here.`);
    for (const [at, one] of parameters.entries()) objectAt(one, `${place}.parameters[${String(at)}]`);
    return { ...values, parameters };
  },
  make: async ({ objects }, type, { values: said, place }) => {
    const { page: _later, parameters, ...values } = markedIn(said, '').rest;
    const ofParameters = typeNamed(objects, 'PagePathParameter');
    const made: string[] = [];
    for (const [at, one] of (Array.isArray(parameters) ? parameters : []).entries()) {
      const { id } = await createMarked(objects, ofParameters, one as JsonObject, `${place}.parameters[${String(at)}]`);
      made.push(id);
    }
    return createMarked(objects, type, { ...values, parameters: made }, place);
  },
  connect: async ({ objects, report }, path, { values, place }) => {
    const { page } = values;
    const id = page !== null && typeof page === 'object' && !Array.isArray(page) ? page['id'] : undefined;
    if (typeof id === 'string') {
      if ((await objects.tx.node(id)) === undefined) report.warn('Missing page', `${place}: there is no page ${id}.`);
      else await objects.update(path, { page: id });
    }
    await markLinks(objects, path, KINDS, values, place);
  },
});

function withoutUnset(entry: JsonObject): JsonObject {
  const kept = Object.entries(entry).filter(([key, value]) => value !== null || !OPTIONAL.includes(key));
  return Object.fromEntries(kept);
}
