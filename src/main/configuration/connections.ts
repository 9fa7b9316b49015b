/**
 * Connections to databases (docs/interface/operations.md 1.8): the chosen one, which is `database.*`, and others that are kept below names of
 * their own (`<name>.database.*`). Switching exchanges two of them; which one the server runs with is decided at its start.
 */
import { resolve } from 'node:path';
import type { JsonObject } from '../../shared/json/index.js';
import { findSettingName, settingProblem, type Config } from '../config/index.js';
import { ConfigurationError, needsPassword } from './errors.js';
import { changeSettings, type AtStart, type SettingsActor } from './settings-view.js';

/** What a connection is made of, by the end of the names of its settings. */
export const FIELDS = ['url', 'username', 'password', 'databasename'] as const;
export type Field = (typeof FIELDS)[number];
export type Driver = 'embedded' | 'neo4j';

/** As it is written in the settings; texts that are not there are empty. */
export interface Connection {
  readonly name: string;
  /** Another text than one of `Driver` is nothing that can be opened. */
  readonly driver: string;
  /** Of an embedded database, as written: relative to the folder of the settings. */
  readonly path: string;
  readonly fields: Readonly<Record<Field, string>>;
  readonly chosen: boolean;
  /** The environment gives some of it. */
  readonly fromEnvironment: boolean;
}

const KEPT = /^([a-z0-9](?:[a-z0-9-]{0,58}[a-z0-9])?)\.database\.driver$/i;

/** The settings of the chosen one. */
type ChosenName = 'database.driver' | 'database.path' | `database.connection.${Field}`;

function settingOf<F extends Field>(field: F): `database.connection.${F}` {
  return `database.connection.${field}`;
}

function keysOf(name: string): readonly string[] {
  return ['driver', 'path', ...FIELDS.map((field) => `connection.${field}`)].map((end) => `${name}.database.${end}`);
}

/** The name in the form that settings have: lower case, words joined by dashes. */
export function cleanName(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
}

/** All of them, the chosen one first. */
export function connectionsOf(config: Config): readonly Connection[] {
  return [chosenOf(config), ...keptOf(config)];
}

/** Those beside the chosen one, by their names. */
export function keptOf(config: Config): readonly Connection[] {
  const dynamic = config.dynamic();
  const names = [...dynamic.keys()].flatMap((key) => KEPT.exec(key)?.[1] ?? []).sort();
  return names.map((name) => {
    const text = (end: string): string => dynamic.get(`${name}.database.${end}`) ?? '';
    return {
      name,
      driver: text('driver'),
      path: text('path'),
      fields: fieldsOf((field) => text(`connection.${field}`)),
      chosen: false,
      fromEnvironment: keysOf(name).some((key) => config.dynamicSource(key) === 'environment'),
    };
  });
}

function fieldsOf(text: (field: Field) => string): Record<Field, string> {
  return {
    url: text('url'),
    username: text('username'),
    password: text('password'),
    databasename: text('databasename'),
  };
}

/** The one that the server takes at its next start. */
export function chosenOf(config: Config): Connection {
  const driver = config.get('database.driver');
  const used: readonly ChosenName[] =
    driver === 'embedded' ? ['database.path'] : FIELDS.map((field) => settingOf(field));
  return {
    name: cleanName(config.get('database.connection.name')) || 'default',
    driver,
    path: config.get('database.path'),
    fields: fieldsOf((field) => config.get(settingOf(field))),
    chosen: true,
    fromEnvironment: ['database.driver' as const, ...used].some((name) => config.source(name) === 'environment'),
  };
}

/** The one of this name. Throws `ConfigurationError` 404. */
export function connectionOf(config: Config, name: unknown): Connection {
  const found = connectionsOf(config).find((one) => one.name === name);
  if (found === undefined) throw new ConfigurationError(404, 'There is no connection of this name.', 'name');
  return found;
}

/** Where its data are, as `svc graph copy` takes it; the same text: the same data. */
export function placeOf(
  config: Config,
  { driver, path, fields }: Pick<Connection, 'driver' | 'path' | 'fields'>,
): string {
  if (driver === 'embedded') return `sqlite:${resolve(config.folder, path)}`;
  return `neo4j:${fields.url.replace(/\/$/, '')}/${fields.databasename}`;
}

/** Where the data are that the server runs with. */
export function runningPlace(config: Config, atStart: AtStart): string {
  const text = (name: ChosenName): string => {
    const value = atStart.get(name);
    return value === undefined ? '' : String(JSON.parse(value));
  };
  return placeOf(config, {
    driver: text('database.driver'),
    path: text('database.path'),
    fields: fieldsOf((field) => text(settingOf(field))),
  });
}

/** As it is shown: a password is there or not, never told. */
export function connectionView(config: Config, one: Connection, running: string): JsonObject {
  const { name, driver, path, fields, chosen, fromEnvironment } = one;
  return {
    name,
    driver,
    ...(driver === 'embedded'
      ? { path, folder: resolve(config.folder, path) }
      : {
          url: fields.url,
          username: fields.username,
          databasename: fields.databasename,
          hasPassword: fields.password !== '',
        }),
    chosen,
    running: placeOf(config, one) === running,
    fromEnvironment,
  };
}

/** What is given of a connection, by its names; what is absent stays as it is. */
export interface Given {
  readonly driver?: string | undefined;
  readonly path?: string | undefined;
  readonly fields: Readonly<Partial<Record<Field, string>>>;
}

/** Keeps a new one. Throws `ConfigurationError` 422. */
export async function addConnection(config: Config, actor: SettingsActor, text: string, given: Given): Promise<void> {
  const name = cleanName(text);
  if (name === '') throw empty('name');
  if (!KEPT.test(`${name}.database.driver`)) throw new ConfigurationError(422, 'name is too long', 'name');
  const taken = connectionsOf(config).some((one) => one.name.toLowerCase() === name);
  if (taken || keysOf(name).some((key) => findSettingName(key) !== undefined))
    throw new ConfigurationError(422, `There is a connection ${name} already.`, 'name', {}, 'already_taken');
  const none: Connection = {
    name,
    driver: '',
    path: '',
    fields: fieldsOf(() => ''),
    chosen: false,
    fromEnvironment: false,
  };
  await changeSettings(config, actor, entriesOf(merged(none, given), name));
}

/** Changes one. Throws `ConfigurationError` 404, 409 and 422. */
export async function saveConnection(config: Config, actor: SettingsActor, name: unknown, given: Given): Promise<void> {
  const before = connectionOf(config, name);
  const after = merged(before, given);
  if (before.fromEnvironment) throw givenByEnvironment(before);
  await changeSettings(config, actor, before.chosen ? chosenBy(config, after) : entriesOf(after, before.name));
}

/** Takes one off the list; its data stay. Throws `ConfigurationError` 404, and 409 for the one that is in use. */
export async function removeConnection(
  config: Config,
  actor: SettingsActor,
  name: unknown,
  running: string,
): Promise<void> {
  const one = connectionOf(config, name);
  if (one.chosen || placeOf(config, one) === running)
    throw new ConfigurationError(409, 'This connection is in use: switch to another one, and restart, first.', 'name');
  if (one.fromEnvironment) throw givenByEnvironment(one);
  await changeSettings(config, actor, gone(one.name));
}

/**
 * The server takes this one from its next start on; the one that was chosen is kept, and the data stay where they are. Throws
 * `ConfigurationError` 404, 409 and 422.
 */
export async function chooseConnection(config: Config, actor: SettingsActor, name: unknown): Promise<void> {
  const after = connectionOf(config, name);
  const before = chosenOf(config);
  if (after.chosen) throw new ConfigurationError(409, 'This connection is the chosen one already.', 'name');
  for (const one of [before, after]) if (one.fromEnvironment) throw givenByEnvironment(one);
  checkComplete(after);
  if (keptOf(config).some((one) => one.name.toLowerCase() === before.name))
    throw new ConfigurationError(409, `There are two connections ${before.name}: remove one of them first.`, 'name');
  const changes = new Map([
    ...gone(after.name),
    ...entriesOf(before, before.name),
    ...chosenBy(config, after),
    ['database.connection.name', after.name] as const,
  ]);
  await changeSettings(config, actor, changes);
}

/** What is given in the place of what is there, if that can be. A password is not sent to another address than the one it was saved for. */
function merged(before: Connection, { driver, path, fields }: Given): Connection {
  const after = {
    ...before,
    driver: driver ?? before.driver,
    path: path ?? before.path,
    fields: { ...before.fields, ...fields },
  };
  if (after.driver === 'neo4j') mustHavePassword(before.fields, fields);
  checkComplete(after);
  return after;
}

/** Throws `ConfigurationError` 422 when the saved password would go to an address that it was not saved for. */
export function mustHavePassword(before: Readonly<Record<Field, string>>, given: Given['fields']): void {
  const isElsewhere = given.url !== undefined && given.url !== before.url;
  if (isElsewhere && given.password === undefined && before.password !== '') throw needsPassword('password');
}

function checkComplete({ driver, path, fields }: Connection): void {
  if (driver !== 'embedded' && driver !== 'neo4j')
    throw new ConfigurationError(422, 'driver must be embedded or neo4j', 'driver', {}, 'driver_error');
  if (driver === 'embedded') {
    if (path === '') throw empty('path');
    return;
  }
  for (const field of FIELDS) if (fields[field] === '') throw empty(field);
  const problem = settingProblem('database.connection.url', fields.url);
  if (problem !== undefined) throw new ConfigurationError(422, `url: ${problem}`, 'url');
}

function empty(property: string): ConfigurationError {
  return new ConfigurationError(422, `${property} must not be empty`, property, {}, 'must_not_be_empty');
}

function givenByEnvironment({ name }: Connection): ConfigurationError {
  return new ConfigurationError(
    409,
    `The connection ${name} is given by the environment, so it cannot be changed here.`,
    'name',
  );
}

function gone(name: string): Map<string, string | null> {
  return new Map(keysOf(name).map((key) => [key, null]));
}

/** The settings of a kept one; those of the other driver are gone. */
function entriesOf({ driver, path, fields }: Connection, name: string): Map<string, string | null> {
  const own = new Map<string, string>([[`${name}.database.driver`, driver]]);
  if (driver === 'embedded') own.set(`${name}.database.path`, path);
  else for (const field of FIELDS) own.set(`${name}.database.connection.${field}`, fields[field]);
  return new Map([...gone(name), ...own]);
}

/** The settings of the chosen one, as far as they are others; those of the other driver go back to their defaults. */
function chosenBy(config: Config, { driver, path, fields }: Connection): Map<string, string | null> {
  const wanted = new Map<ChosenName, string | null>([
    ['database.driver', driver],
    ['database.path', driver === 'embedded' ? path : null],
    ...FIELDS.map((field) => [settingOf(field), driver === 'neo4j' ? fields[field] : null] as const),
  ]);
  const isElsewhere = driver === 'neo4j' && fields.url !== config.get('database.connection.url');
  return new Map(
    [...wanted].filter(([name, text]) => {
      if (text === null) return config.source(name) === 'file';
      // The password goes with its address, be it the same one.
      return text !== config.get(name) || (isElsewhere && name === 'database.connection.password');
    }),
  );
}
