/** What scripts see of the request they run for: its parameters, its session, who sent it (docs/interface/scripting.md 2.5, 5). */
import type { Exchange } from '../../../http/index.js';
import { SESSION_COOKIE, sessionIdOf } from '../../../security/index.js';
import { SUPERUSER_ID } from '../../../schema/index.js';
import { ScriptError } from '../../language/errors.js';
import type { ScriptRequest, ScriptRun, ScriptContext } from '../run.js';
import { storeObject } from '../stores/stores.js';
import {
  chain,
  type Awaitable,
  type ScriptEntity,
  type ScriptObject,
  type ScriptValue,
} from '../../language/values.js';

/**
 * A request as scripts get to know it. What cannot be decoded in its query stays as it was sent. `form`: fields of a form that came with it,
 * whose values stand behind those of the query.
 */
export function scriptRequest(
  exchange: Exchange,
  form: Iterable<readonly [name: string, value: string]> = [],
): ScriptRequest {
  const parameters = new Map<string, string | string[]>();
  const add = (name: string, value: string): void => {
    const before = parameters.get(name);
    if (before === undefined) parameters.set(name, value);
    else if (typeof before === 'string') parameters.set(name, [before, value]);
    else before.push(value);
  };
  for (const [name, value] of new URLSearchParams(exchange.query)) add(name, value);
  for (const [name, value] of form) add(name, value);
  return { exchange, parameters };
}

/** Keyword `request`: a parameter is a text, or a list when it was sent several times. */
export function requestObject({ parameters }: ScriptRequest): ScriptObject {
  return {
    isScriptObject: true,
    title: 'The request',
    get: (key) => {
      const value = parameters.get(key) ?? null;
      return value === null || typeof value === 'string' ? value : [...value];
    },
    keys: () => [...parameters.keys()],
  };
}

/** Sessions that scripts of a run have begun, which the request does not name yet. */
const begun = new WeakMap<ScriptRun, { readonly id: string; readonly userId: string }>();

/** The session of a run from now on, by the value of its cookie. */
export function sessionBegins(run: ScriptRun, value: string, userId: string): void {
  const id = sessionIdOf(value);
  begun.set(run, { id, userId });
  const { stores } = run.parts;
  const before = stores.withoutSession(run.options);
  for (const key of before?.keys() ?? []) stores.session(id).set(key, before?.get(key, run) ?? null);
}

const FIXED: readonly string[] = ['id', 'creationTime', 'lastAccessedTime', 'isNew'];

/**
 * Keyword `session`; null without a request. Where the request names no session that lives, attributes are kept until it is over, and
 * become those of the session that its scripts begin (`login`); `begins`: else it is null until there are such attributes. Its `id` is the one that `User.sessionIds` lists, which
 * nobody can log in with. Attributes are kept in the memory of this instance.
 */
export function sessionObject(context: ScriptContext, begins = false): Awaitable<ScriptObject | null> {
  const { parts, options } = context.run;
  const { request } = options;
  if (request === undefined) return null;
  const own = begun.get(context.run);
  if (own !== undefined) return named(own.id, own.userId, context);
  const cookie = parts.security.cookies.read(request.exchange, SESSION_COOKIE) ?? '';
  const value = cookie === '' ? request.exchange.header('x-svcsessiontoken') : cookie;
  if (value === '') return unnamed(context, begins);
  return chain(parts.security.sessions.actorOf(value), (actor) => {
    if (actor?.id === undefined) return unnamed(context, begins);
    return named(sessionIdOf(value), actor.id, context);
  });
}

/** In the place of a session, for a request without one. */
function unnamed({ run }: ScriptContext, begins: boolean): ScriptObject | null {
  const { stores } = run.parts;
  const store = begins ? stores.beginWithoutSession(run.options) : stores.withoutSession(run.options);
  if (store === undefined) return null;
  const attributes = storeObject(store, run);
  return {
    ...attributes,
    get: (key) => (key === 'isNew' ? true : FIXED.includes(key) ? null : attributes.get(key)),
    set: settable(attributes),
  };
}

/** Sets attributes, and not what the session itself says. */
function settable(attributes: ScriptObject): NonNullable<ScriptObject['set']> {
  return (key, one) => {
    if (FIXED.includes(key)) throw new ScriptError(422, `${key} of the session cannot be set.`);
    return attributes.set?.(key, one);
  };
}

function named(id: string, userId: string, { run }: ScriptContext): ScriptObject {
  const { parts } = run;
  const attributes = storeObject(parts.stores.session(id), run);
  const times = async (): Promise<{ begun: Date; lastAccess: Date } | undefined> =>
    (await parts.security.sessions.list(userId)).find((one) => one.id === id);
  const time = (date: Date | undefined): ScriptValue => (date === undefined ? null : BigInt(date.getTime()));
  return {
    ...attributes,
    get: (key) => {
      switch (key) {
        case 'id':
          return id;
        // A session begins with a login: whoever names one was told of it before.
        case 'isNew':
          return false;
        case 'creationTime':
          return times().then((found) => time(found?.begun));
        case 'lastAccessedTime':
          return times().then((found) => time(found?.lastAccess));
        default:
          return attributes.get(key);
      }
    },
    set: settable(attributes),
  };
}

/** Users of a run that were looked up already. */
const users = new WeakMap<ScriptRun, Map<string, ScriptEntity>>();

/** Keyword `me`: null for anonymous requests. Who has no object in the graph, as the superuser, is an object with his name and id. */
export function currentUser({ run, actor }: ScriptContext): Awaitable<ScriptValue> {
  const { id } = actor;
  if (id === undefined) return null;
  if (id === SUPERUSER_ID) return principalObject('superadmin', id, true);
  const known = users.get(run)?.get(id);
  if (known !== undefined) return known;
  return run.transaction
    .read((tx) => tx.node(id))
    .then((node) => {
      if (node === undefined) return principalObject(actor.name, id, actor.isAdmin);
      const entity = run.entities.of(node);
      const all = users.get(run) ?? new Map<string, ScriptEntity>();
      users.set(run, all.set(id, entity));
      return entity;
    });
}

function principalObject(name: string, id: string, isAdmin: boolean): ScriptObject {
  const values: ReadonlyMap<string, ScriptValue> = new Map<string, ScriptValue>([
    ['id', id],
    ['name', name],
    ['isAdmin', isAdmin],
  ]);
  return { isScriptObject: true, title: name, get: (key) => values.get(key) ?? null, keys: () => [...values.keys()] };
}
