import type { Entered } from '../request/index.js';
import type { HeldObjects } from './answer/held-objects.js';
import type { RestRequest, RestServices, RestSettings } from './context.js';
import { Parameters } from './request/parameters.js';
import type { RequestBody } from './request/request-body.js';
import type { Route } from './router.js';

/** What a request came with. */
export interface RequestParts {
  readonly services: RestServices;
  readonly settings: RestSettings;
  /** `performance.now()` at arrival. */
  readonly startedAt: number;
  readonly body: RequestBody;
  readonly held: HeldObjects;
}

/** A request that has been let in, for the resource that its path leads to. */
export function restRequest(
  { exchange, actor, access, schema, commit, target }: Entered<Route>,
  { services, settings, startedAt, body, held }: RequestParts,
): RestRequest {
  const { path, view, viewInPath } = target;
  return {
    exchange,
    services,
    settings,
    schema,
    actor,
    access,
    commit,
    path,
    view,
    viewInPath,
    parameters: new Parameters(exchange.query, settings.legacyParameters),
    body,
    startedAt,
    held,
    memory: undefined,
    reading: undefined,
    missing: undefined,
  };
}
