/** Permissions of endpoints, `security/grants.json`. */
import type { GraphNode } from '../../../graph/index.js';
import type { JsonObject } from '../../../../shared/json/index.js';
import { DeploymentError } from '../../common/errors.js';
import type { SaidRights } from '../../tree/principal-names.js';
import { listSection, textOf } from '../list-section.js';
import type { Exporting, Section } from '../section.js';

/** Bits of `flags`: all that users who are logged in may do, and all that others may (docs/interface/security.md 10.1). */
const AUTHENTICATED = 5391;
const ANONYMOUS = 10_992;
const FILE = 'security/grants.json';
const FLAGS = ['visibleToAuthenticatedUsers', 'visibleToPublicUsers'] as const;

const list = listSection({
  title: 'Resource Access Permissions',
  file: FILE,
  type: 'ResourceAccess',
  keys: ['id', 'signature', 'flags', ...FLAGS],
  sortedBy: ({ signature }) => [textOf(signature)],
  style: 'lines',
  rights: 'grantees',
  more: async (exporting, nodes) => {
    await warnOfUnreachable(exporting, nodes);
    return nodes.map(() => ({}));
  },
  input: (values, place, rights) => withVisibility(values, place, rights),
});

/** Tells once when an export is as old as that. */
export const grants: Section = {
  ...list,
  read: async (reading) => {
    const work = await list.read(reading);
    const entries = (await reading.source.entries(FILE)) ?? [];
    if (entries.some((entry) => saysNobody(entry, entry['grantees'] === undefined)))
      reading.report.warn(
        'Found grants.json file without visibility and grantees',
        'Permissions are of an older form: the bits of their flags say for whom they are.',
      );
    return work;
  },
};

/** Older exports say who may by the bits of the flags alone. */
function saysNobody(values: JsonObject, isWithoutGrantees: boolean): boolean {
  const { flags } = values;
  return isWithoutGrantees && FLAGS.every((flag) => !(flag in values)) && typeof flags === 'number' && flags !== 0;
}

/** Of permissions for something that nobody has. */
async function warnOfUnreachable({ tx, report }: Exporting, nodes: readonly GraphNode[]): Promise<void> {
  const hidden = nodes.filter(({ properties }) => {
    const { flags } = properties;
    return typeof flags === 'number' && flags > 0 && FLAGS.every((flag) => properties[flag] !== true);
  });
  const ids = hidden.map(({ id }) => id);
  const links = await tx.links(ids, { relType: 'SECURITY', direction: 'in' }, 1);
  const alone = hidden.filter((_, i) => (links[i]?.length ?? 0) === 0);
  const names = alone.map(({ id, properties }) => `${String(properties['signature'])} (${id})`);
  report.warnOfAll('Found configured but unreachable permission(s)', names);
}

function withVisibility(values: JsonObject, place: string, { grantees }: SaidRights): JsonObject {
  const { flags } = values;
  if (flags !== null && flags !== undefined && !Number.isInteger(flags))
    throw new DeploymentError(`${place}.flags: a whole number is expected here.`);
  if (!saysNobody(values, grantees === undefined) || typeof flags !== 'number') return values;
  return {
    ...values,
    visibleToAuthenticatedUsers: (flags & AUTHENTICATED) !== 0,
    visibleToPublicUsers: (flags & ANONYMOUS) !== 0,
  };
}
