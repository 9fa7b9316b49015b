/** `/_changelog/<uuid>`, `/_userChangelog/<uuid>`: the history of an object, and what a user has changed (docs/interface/changelog.md 7). */
import { readChangelog } from '../../../scripting/index.js';
import type { Resolver, RestRequest } from '../../context.js';
import { sendValue } from '../../answer/envelope.js';
import { RestError } from '../../errors.js';

const PAGE_SIZE = 100;
const MOST = 1_000;
const FILTERS: ReadonlySet<string> = new Set(
  'timeFrom timeTo verb userId userName relType relDir target key'.split(' '),
);
const KINDS = {
  _changelog: { of: 'object', setting: 'application.changelog.enabled' },
  _userChangelog: { of: 'user', setting: 'application.changelog.user_centric.enabled' },
} as const;
type Name = keyof typeof KINDS;

const isName = (segment: string | undefined): segment is Name => segment !== undefined && Object.hasOwn(KINDS, segment);

export const resolveChangelog: Resolver = (segments, _schema, settings) => {
  const [name, id] = segments;
  if (segments.length !== 2 || !isName(name) || id === undefined || !settings.write.idPattern.test(id))
    return undefined;
  return {
    signature: `${name}/_id`,
    allow: ['GET', 'OPTIONS'],
    verbs: { GET: (request) => answer(request, name, id) },
  };
};

async function answer(request: RestRequest, name: Name, id: string): Promise<void> {
  const { parameters, services, exchange } = request;
  for (const [filter] of parameters.filters)
    if (!FILTERS.has(filter))
      throw new RestError(400, `The parameter ${filter} is not known: there are ${[...FILTERS].join(', ')}.`);
  const { of, setting } = KINDS[name];
  const limit = Math.min(MOST, Math.max(1, parameters.integer('pageSize', PAGE_SIZE)));
  const offset = (Math.max(1, parameters.integer('page', 1)) - 1) * limit;
  const newestFirst = parameters.text('order') === 'desc';
  const asked = { of, id, filters: parameters.filters, newestFirst, offset, limit, signal: exchange.signal };
  const { entries, count } = await readChangelog(services.scripting, asked, request);
  exchange.setHeader('Cache-Control', 'no-store');
  const shown = { enabled: services.config.get(setting), entries };
  await sendValue(request, shown, count, performance.now() - request.startedAt);
}
