/** What the Admin UI is told of the service and of who asks (docs/interface/admin-ui.md 2). */
import type { JsonObject } from '../../shared/json/index.js';
import { oauthProviders, type Config } from '../config/index.js';
import type { Exchange } from '../http/index.js';
import type { Requests } from '../request/index.js';
import { AccessError, type Security } from '../security/index.js';

export interface StateParts {
  readonly config: Config;
  readonly security: Security;
  readonly requests: Requests;
  readonly version: string;
  /** Whether there is a Configuration Interface to lead to. */
  readonly hasConfiguration: boolean;
}

/** Everybody is told what a form to log in needs; who is logged in also who they are, and the version. */
export async function stateOf(exchange: Exchange, parts: StateParts): Promise<JsonObject> {
  const { config, security, version, hasConfiguration } = parts;
  const known = {
    title: config.get('application.title'),
    instance: config.get('application.instance.name'),
    stage: config.get('application.instance.stage'),
    providers: oauthProviders.filter((name) => security.oauth.offers(name)),
    hasConfiguration,
  };
  const user = await userOf(exchange, parts);
  return user === undefined ? known : { ...known, version, user };
}

/** Who has a session or sends credentials; undefined: nobody, also when these are not right. */
async function userOf(exchange: Exchange, { requests, security }: StateParts): Promise<JsonObject | undefined> {
  let actor;
  try {
    actor = await requests.sender(exchange);
  } catch (error) {
    if (error instanceof AccessError) return undefined;
    throw error;
  }
  if (actor.id === undefined && !actor.isSuperuser) return undefined;
  return {
    id: actor.id ?? '',
    name: actor.name,
    isAdmin: actor.isAdmin,
    hasDocumentedPassword: security.documentedPassword.noticeFor(actor.id) !== undefined,
  };
}
