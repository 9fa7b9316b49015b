/** Permissions of endpoints, `security/grants.json`. */
import type { GraphNode } from '../../../graph/index.js';
import type { JsonObject } from '../../../../shared/json/index.js';
import { DeploymentError } from '../../common/errors.js';
import { listSection, textOf } from '../list-section.js';
import type { Exporting } from '../section.js';

/** Bits of `flags`: all that users who are logged in may do, and all that others may (docs/interface/security.md 10.1). */
const AUTHENTICATED = 5391;
const ANONYMOUS = 10_992;
const FLAGS = ['visibleToAuthenticatedUsers', 'visibleToPublicUsers'] as const;

export const grants = listSection({
  title: 'Resource Access Permissions',
  file: 'security/grants.json',
  type: 'ResourceAccess',
  keys: ['id', 'signature', 'flags', ...FLAGS],
  sortedBy: ({ signature }) => [textOf(signature)],
  style: 'lines',
  rights: 'grantees',
  more: async (exporting, nodes) => {
    await warnOfUnreachable(exporting, nodes);
    return nodes.map(() => ({}));
  },
  input: (values, place) => withVisibility(values, place),
});

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

/** Older exports say who may by the bits of the flags alone. */
function withVisibility(values: JsonObject, place: string): JsonObject {
  const { flags } = values;
  if (flags !== null && flags !== undefined && !Number.isInteger(flags))
    throw new DeploymentError(`${place}.flags: a whole number is expected here.`);
  const isOld = FLAGS.every((flag) => !(flag in values)) && typeof flags === 'number' && flags !== 0;
  if (!isOld) return values;
  return {
    ...values,
    visibleToAuthenticatedUsers: (flags & AUTHENTICATED) !== 0,
    visibleToPublicUsers: (flags & ANONYMOUS) !== 0,
  };
}
