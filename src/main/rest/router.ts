/** From a path to a resource: view detection, then the kinds of endpoints in their order (docs/interface/rest.md 1). */
import { unescaped } from '../http/index.js';
import type { Schema, Type } from '../schema/index.js';
import type { Resolver, Resource, RestSettings } from './context.js';
import { resolveEvent } from './events/event.js';
import { resolveAccess } from './resources/system/access.js';
import { resolveCluster } from './resources/system/cluster.js';
import { resolveCollection } from './resources/objects/collection.js';
import { entityOf, resolveAnyEntity, resolveEntity } from './resources/objects/entity.js';
import { resolveEnvironment } from './resources/system/environment.js';
import { resolveIntrospection } from './resources/system/introspection.js';
import { resolveJobs } from './resources/system/jobs.js';
import { resolveLogin, resolveLogout, resolveToken } from './resources/users/login.js';
import { resolveLog } from './resources/system/log.js';
import { resolveMaintenance } from './resources/system/maintenance.js';
import { resolveMe } from './resources/users/me.js';
import { resolveMethod } from './resources/methods/method.js';
import { resolveNodeRelationships, resolveTypeRelationships } from './resources/objects/relationships.js';
import { resolveRuntimeEvents } from './resources/system/runtime-events.js';
import { resolveRegistration, resolveResetPassword } from './resources/users/registration.js';
import { resolveResolver } from './resources/objects/resolver.js';
import { resolveSchemaJson } from './resources/system/schema-json.js';
import { resolveServerLog } from './resources/system/server-log.js';
import { resolveSessions } from './resources/users/sessions.js';
import { resolveStatistics } from './resources/system/statistics.js';
import { resolveSubproperty } from './resources/objects/subproperty.js';
import { resolveUnavailable } from './resources/unavailable.js';
import { resolveVideoStream } from './resources/media/video-stream.js';
import { unknown } from './resources/unknown.js';

/** Kinds of endpoints in the order they are tried (docs/interface/rest.md 1.2). A new kind is one file and one line here. */
const resolvers: readonly Resolver[] = [
  resolveTypeRelationships,
  resolveResolver,
  resolveEnvironment,
  // User-defined functions are among these: what follows gives way to them, but for `BEFORE_FUNCTIONS`.
  resolveMethod,
  resolveEvent,
  resolveNodeRelationships,
  resolveLog,
  resolveUnavailable,
  resolveStatistics,
  resolveRuntimeEvents,
  resolveServerLog,
  resolveSchemaJson,
  resolveLogin,
  resolveLogout,
  resolveMaintenance,
  resolveMe,
  resolveSubproperty,
  resolveVideoStream,
  resolveRegistration,
  resolveResetPassword,
  resolveIntrospection,
  resolveToken,
  resolveCluster,
  resolveSessions,
  resolveAccess,
  resolveJobs,
  resolveCollection,
  resolveEntity,
  resolveAnyEntity,
];

export interface Route {
  readonly resource: Resource;
  readonly view: string;
  /** The path names the view. */
  readonly viewInPath: boolean;
  /** Path without the view segment, decoded. */
  readonly path: string;
  /** Under which requests to it are counted. */
  readonly place: string;
}

/** What REST paths begin with. */
export const BASE = '/svc/rest';

/** What paths lead to by one schema and one state of the settings, as far as it is the same for many requests. */
class KnownRoutes {
  /** Lists of types, by their path. */
  readonly lists = new Map<string, Route>();
  /** What stands in front of the id of an object, and the type that it names. */
  readonly objects = new Map<string, { readonly type: Type; readonly place: string }>();
}

const known = new WeakMap<Schema, WeakMap<RestSettings, KnownRoutes>>();

function knownBy(schema: Schema, settings: RestSettings): KnownRoutes {
  let bySettings = known.get(schema);
  if (bySettings === undefined) known.set(schema, (bySettings = new WeakMap<RestSettings, KnownRoutes>()));
  let routes = bySettings.get(settings);
  if (routes === undefined) bySettings.set(settings, (routes = new KnownRoutes()));
  return routes;
}

/**
 * Finds the resource of a path (as sent, after `/svc/rest`). Where there is none, one that allows nothing: its permission
 * comes first there, too.
 */
export function route(rawPath: string, schema: Schema, settings: RestSettings): Route {
  const routes = knownBy(schema, settings);
  const list = routes.lists.get(rawPath);
  if (list !== undefined) return list;
  const slash = rawPath.lastIndexOf('/');
  const start = rawPath.slice(0, slash);
  const id = rawPath.slice(slash + 1);
  const object = routes.objects.get(start);
  // No kind of endpoint tells one id from another; a view that is called like one is a view.
  if (object !== undefined && settings.write.idPattern.test(id) && !schema.viewNames.has(id)) {
    const { type, place } = object;
    return { resource: entityOf(type, id), view: settings.defaultView, viewInPath: false, path: rawPath, place };
  }
  const found = find(rawPath, schema, settings);
  const { resource, viewInPath, place } = found;
  // Of what clients write in many ways only one is kept, so that these are as few as types and views.
  if (resource.listOf !== undefined && !rawPath.includes('%')) routes.lists.set(rawPath, found);
  else if (resource.oneOf !== undefined && !viewInPath && start === `/${resource.oneOf.name}`)
    routes.objects.set(start, { type: resource.oneOf, place });
  return found;
}

function find(rawPath: string, schema: Schema, settings: RestSettings): Route {
  const segments = rawPath.split('/').slice(1).map(unescaped);
  let view = settings.defaultView;
  const last = segments.at(-1);
  // A view called like a type must not hide the type: one segment alone is never a view.
  const viewInPath = last !== undefined && segments.length > 1 && schema.viewNames.has(last);
  if (viewInPath) {
    view = last;
    segments.pop();
  }
  const path = `/${segments.join('/')}`;
  const resource = resourceAt(segments, schema, settings);
  return { resource, view, viewInPath, path, place: placeOf(resource, view, viewInPath) };
}

function resourceAt(segments: readonly string[], schema: Schema, settings: RestSettings): Resource {
  if (segments.length > 0 && !segments.includes('')) {
    for (const resolve of resolvers) {
      const resource = resolve(segments, schema, settings);
      if (resource !== undefined) return resource;
    }
  }
  return unknown(segments, settings);
}

/** How requests to a resource are counted: by what the schema knows, never by what a client has written. */
function placeOf(resource: Resource, view: string, viewInPath: boolean): string {
  if (resource.allow.length === 0) return `${BASE}/<unknown>`;
  const path = resource.signature.replaceAll('_id', '<uuid>');
  return viewInPath ? `${BASE}/${path}/${view}` : `${BASE}/${path}`;
}

/** The permission a route needs: the resource's signature and the view, unless it is `public` (docs/interface/rest.md 1.3). */
export function signatureOf({ resource, view }: Route): string {
  if (view === 'public') return resource.signature;
  return `${resource.signature}/_${view.replace(/(^|_)([a-zA-Z0-9]?)/g, (_, __, c: string) => c.toUpperCase())}`;
}
