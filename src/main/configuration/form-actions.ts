/**
 * The same by addresses and forms, as scripts of operators use them (docs/interface/operations.md 1.6): `GET /svc/config?reload` and the
 * like, `POST /svc/config` with `action=login`, or with settings as fields.
 */
import type { JsonObject } from '../../shared/json/index.js';
import { sentFields, type Exchange } from '../http/index.js';
import type { ConfigAccess } from './access.js';
import { ConfigurationError } from './errors.js';
import { cleanName } from './connections.js';
import { actOnConnection } from './connection-actions.js';
import type { Asked, ResourceParts } from './resource.js';
import { changeSettings } from './settings-view.js';

const HOME = '/svc/config';

type Act = (parts: ResourceParts, value: string, session: string) => Promise<string> | string;

/** By the name of the parameter; each answers where to go. The first that is there counts. */
const BY_QUERY: ReadonlyMap<string, Act> = new Map<string, Act>([
  ['reload', async ({ config }) => (await config.reload(), HOME)],
  [
    'reset',
    async ({ config, sessions }, name, session) => {
      await changeSettings(config, { sessions, session }, new Map([[name, null]]));
      return HOME;
    },
  ],
  ['start', async ({ services }, name) => (await services.act(serviceOf(name), 'start'), `${HOME}#services`)],
  ['stop', async ({ services }, name) => (await services.act(serviceOf(name), 'stop'), `${HOME}#services`)],
  ['restart', async ({ services }, name) => (await services.act(serviceOf(name), 'restart'), `${HOME}#services`)],
  [
    'finish',
    async ({ setup, config }) => {
      if (config.get('superuser.password') === '')
        throw new ConfigurationError(409, 'The superuser has no password yet.', 'superuser.password');
      await setup.complete();
      return '/svc/';
    },
  ],
  [
    'setMaintenance',
    async ({ maintenanceMode }, value) => {
      if (value !== 'true' && value !== 'false')
        throw new ConfigurationError(422, 'setMaintenance must be true or false', 'setMaintenance');
      await maintenanceMode.switch(value === 'true');
      return `${HOME}#maintenance`;
    },
  ],
]);

/** Whether an address does something. */
export function hasAction({ path, query }: Exchange): boolean {
  return path === HOME && query !== '' && actionOf(query) !== undefined;
}

function actionOf(query: string): readonly [Act, string] | undefined {
  const parameters = new URLSearchParams(query);
  for (const [name, act] of BY_QUERY) {
    const value = parameters.get(name);
    if (value !== null) return [act, value];
  }
  return undefined;
}

/** Services of the reference have instances; here each has the one called `default`. */
function serviceOf(name: string): string {
  return name.endsWith('.default') ? name.slice(0, -'.default'.length) : name;
}

export async function actByQuery(exchange: Exchange, access: ConfigAccess, parts: ResourceParts): Promise<void> {
  const session = access.require(exchange);
  const [act, value] = actionOf(exchange.query) ?? [];
  if (act !== undefined) redirect(exchange, parts, await act(parts, value ?? '', session));
}

/** Logs in and out, or saves settings: the fields by their names, but for those that belong to the form itself. */
export async function actByForm(exchange: Exchange, access: ConfigAccess, parts: ResourceParts): Promise<void> {
  const onConnection = connectionAction(exchange.path);
  if (exchange.path !== HOME && exchange.path !== `${HOME}/` && onConnection === undefined)
    throw new ConfigurationError(404, `There is nothing at ${exchange.path}`);
  access.refuseForeign(exchange);
  const fields = await sentFields(exchange);
  const first = (name: string): string | undefined => fields.find(([key]) => key === name)?.[1];
  if (onConnection !== undefined) {
    const session = access.require(exchange);
    await actOnConnections({ parts, session }, onConnection, Object.fromEntries(fields));
    redirect(exchange, parts, homeWith(first('active_section') ?? '#databases'));
    return;
  }
  const action = first('action');
  if (action === 'login') {
    access.login(exchange, { password: first('password'), token: first('token') });
    redirect(exchange, parts, HOME);
    return;
  }
  if (action === 'logout') {
    access.logout(exchange);
    redirect(exchange, parts, HOME);
    return;
  }
  const session = access.require(exchange);
  const changes = new Map<string, string>();
  for (const [name, value] of fields) {
    if (name === 'active_section' || name === 'action' || name.endsWith('._settings_group')) continue;
    if (changes.has(name)) throw new ConfigurationError(422, `'${name.slice(0, 60)}' comes twice`, name);
    changes.set(name, value);
  }
  const { config, sessions } = parts;
  await changeSettings(config, { sessions, session }, changes);
  redirect(exchange, parts, homeWith(first('active_section') ?? ''));
}

function homeWith(section: string): string {
  return /^#[\w-]{1,60}$/.test(section) ? `${HOME}${section}` : HOME;
}

/** What a form below the interface does: `/add`, `/<name>/save`, `/<name>/delete`, `/<name>/connect`. */
function connectionAction(path: string): { readonly action: string; readonly name?: string } | undefined {
  if (path === `${HOME}/add`) return { action: 'add' };
  const [, name, verb = ''] = /^\/svc\/config\/([\w-]{1,60})\/(save|delete|connect)$/.exec(path) ?? [];
  const action = { save: 'save', delete: 'remove', connect: 'use' }[verb];
  return name === undefined || action === undefined ? undefined : { action, name };
}

/** A form of all fields comes with each of these; `now` and `connect` choose the connection for the next start. */
async function actOnConnections(
  asked: Omit<Asked, 'input'>,
  { action, name }: { readonly action: string; readonly name?: string },
  fields: Readonly<Record<string, string>>,
): Promise<void> {
  const { database, now, active_section: _, name: given, ...rest } = fields;
  const parts = { ...rest, ...(database === undefined ? {} : { databasename: database }) };
  const act = (input: JsonObject): Promise<unknown> => actOnConnection({ ...asked, input });
  if (name === undefined) {
    await act({ action, ...parts, ...(given === undefined ? {} : { name: given }) });
    if (now === 'true') await act({ action: 'use', name: cleanName(given ?? '') });
    return;
  }
  if (action === 'use' && Object.keys(parts).length > 0) await act({ action: 'save', name, ...parts });
  await act(action === 'save' ? { action, name, ...parts } : { action, name });
}

function redirect(exchange: Exchange, { config }: ResourceParts, to: string): void {
  exchange.status = 302;
  exchange.setHeader('Location', `${config.get('application.root.path')}${to}`);
  exchange.setHeader('Cache-Control', 'no-cache, no-store, must-revalidate');
  exchange.end();
}
