/** What happens when something happens in a page, `events/action-mapping.json`. */
import type { JsonObject, JsonValue } from '../../../../shared/json/index.js';
import { DeploymentError } from '../../common/errors.js';
import { createMarked, listSection } from '../list-section.js';
import { markedIn, markedLinks, markLinks } from '../marked-links.js';
import { mappingsInUse } from './mappings.js';

const outcome = (name: 'success' | 'failure'): string[] =>
  [
    'Behaviour',
    'Event',
    'Notifications',
    'NotificationsEvent',
    'NotificationsPartial',
    'NotificationsDelay',
    'Partial',
    'URL',
  ].map((key) => name + key);

/** Relations of a mapping: the key, the type in the database, and where it leads. */
const RELATIONS = [
  ['triggerElements', 'TRIGGERED_BY', 'in'],
  ['successTargets', 'SUCCESS_TARGET', 'in'],
  ['successNotificationElements', 'SUCCESS_NOTIFICATION_ELEMENT', 'in'],
  ['failureTargets', 'FAILURE_TARGET', 'in'],
  ['failureNotificationElements', 'FAILURE_NOTIFICATION_ELEMENT', 'in'],
  ['parameterMappings', 'PARAMETER', 'out'],
] as const;

const KINDS = RELATIONS.map(([, relType, direction]) => [relType, direction] as const);

export const actionMapping = listSection({
  title: 'Action Mapping',
  file: 'events/action-mapping.json',
  type: 'ActionMapping',
  keys: [
    ...['id', 'name', 'visibleToAuthenticatedUsers', 'visibleToPublicUsers', 'event', 'action', 'method', 'dataType'],
    ...['idExpression', 'options', 'dialogType', 'dialogTitle', 'dialogText'],
    ...outcome('success'),
    ...outcome('failure'),
  ],
  sortedBy: () => [],
  style: 'pretty',
  more: async ({ tx, schema }, nodes) => {
    const ids = nodes.map(({ id }) => id);
    const used = await mappingsInUse(tx, schema);
    const entries = nodes.map(({ id }): JsonObject | undefined => (used.has(id) ? {} : undefined));
    for (const [key, relType, direction] of RELATIONS) {
      const related = await tx.related(ids, { relType, direction });
      for (const [i, entry] of entries.entries()) {
        const all = key === 'triggerElements' ? used.get(ids[i] ?? '') : related[i];
        if (entry !== undefined && all !== undefined && all.length > 0) entry[key] = all.map(({ id }) => id).sort();
      }
    }
    const marks = await markedLinks(tx, nodes, KINDS);
    return entries.map((entry, i) => (entry === undefined ? undefined : { ...entry, ...marks[i] }));
  },
  input: (values, place) => {
    markedIn(values, place);
    for (const [key] of RELATIONS) idsIn(values[key], `${place}.${key}`);
    return values;
  },
  make: ({ objects }, type, { values, place }) =>
    createMarked(objects, type, withoutRelations(markedIn(values, place).rest), place),
  connect: async ({ objects, report }, mapping, { values, place }) => {
    const links: JsonObject = {};
    for (const [key] of RELATIONS) {
      const ids = idsIn(values[key], place);
      if (ids.length === 0) continue;
      const found = await objects.tx.nodes(ids);
      report.warnOfAll(
        `Missing ${key} of ${place}`,
        ids.filter((_, i) => found[i] === undefined),
      );
      links[key] = found.flatMap((node) => (node === undefined ? [] : [node.id]));
    }
    await objects.update(mapping, links);
    await markLinks(objects, mapping, KINDS, values, place);
  },
});

function withoutRelations(values: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(values).filter(([key]) => RELATIONS.every(([relation]) => relation !== key)),
  );
}

function idsIn(value: JsonValue | undefined, place: string): string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value;
  throw new DeploymentError(`${place}: a list of ids is expected here.`);
}
