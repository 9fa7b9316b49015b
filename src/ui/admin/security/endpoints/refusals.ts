/** The requests that were refused last for want of a permission, as the runtime event log has them (docs/interface/monitoring.md 5). */
import { call, list } from '../../server/rest.js';
import { has, isMethod, METHODS, VISIBILITY, type Audience, type Method } from './flags.js';
import { permissionsOf } from './permissions.js';

/** Events that are looked at, the newest first. */
const LOOKED_AT = 200;
/** Signatures that are offered. */
const OFFERED = 20;

interface RefusalEvent {
  readonly id: number;
  readonly absoluteTimestamp: number;
  readonly data: {
    readonly raw?: string;
    readonly method?: string;
    readonly validUser?: boolean;
    readonly userName?: string;
  };
}

/** All refused requests with one signature, of users or of everybody else. */
export interface Refusal {
  readonly signature: string;
  readonly audience: Audience;
  readonly methods: readonly Method[];
  readonly count: number;
  /** Milliseconds since 1970. */
  readonly last: number;
  readonly users: readonly string[];
  /** Of the events. */
  readonly ids: readonly number[];
}

function grouped(events: readonly RefusalEvent[]): readonly Refusal[] {
  const groups = new Map<string, Refusal>();
  for (const { id, absoluteTimestamp, data } of events) {
    const { raw = '', method = '', validUser = false, userName } = data;
    if (raw === '' || !isMethod(method)) continue;
    const audience = validUser ? 'user' : 'anonymous';
    const key = `${audience} ${raw}`;
    const known = groups.get(key);
    const { methods = [], count = 0, last = absoluteTimestamp, users = [], ids = [] } = known ?? {};
    groups.set(key, {
      signature: raw,
      audience,
      methods: methods.includes(method) ? methods : [...methods, method],
      count: count + 1,
      last,
      users: userName === undefined || users.includes(userName) ? users : [...users, userName],
      ids: [...ids, id],
    });
  }
  return [...groups.values()];
}

/** What was refused last and is not permitted to all of its audience by now, the newest first. */
export async function loadRefusals(): Promise<readonly Refusal[]> {
  const { result } = await list<RefusalEvent>('_runtimeEventLog', {
    type: 'ResourceAccess',
    seen: 'false',
    _pageSize: LOOKED_AT,
    _page: 1,
  });
  const refusals = grouped(result).slice(0, OFFERED);
  const permissions = await permissionsOf([...new Set(refusals.map(({ signature }) => signature))]);
  return refusals.flatMap((refusal) => {
    const { signature, audience } = refusal;
    const flags = permissions
      .filter((one) => one.signature === signature && one[VISIBILITY[audience]] === true && one.hidden !== true)
      .reduce((all, one) => all | one.flags, 0);
    const methods = METHODS.filter((one) => refusal.methods.includes(one) && !has(flags, audience, one));
    return methods.length === 0 ? [] : [{ ...refusal, methods }];
  });
}

/** Is not offered again. */
export async function dismiss({ ids }: Refusal): Promise<void> {
  await call(`_runtimeEventLog?type=ResourceAccess&id=${ids.join(',')}`, { action: 'acknowledge' });
}
