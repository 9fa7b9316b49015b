/** What the server tells and takes (src/main/configuration/resources.ts). */
import { ask } from '../common/request.js';

const API = '/svc/config/api/';

export interface State {
  readonly title: string;
  readonly instance: string;
  readonly stage: string;
  readonly setup: 'completed' | 'incomplete';
  readonly loggedIn: boolean;
  readonly hasPassword: boolean;
  readonly version?: string;
}

export type Value = string | number | boolean | readonly string[];

export interface Setting {
  readonly name: string;
  readonly group: string;
  readonly type: 'string' | 'integer' | 'boolean' | 'choice' | 'multichoice' | 'password' | 'text';
  readonly text: string;
  readonly source: 'default' | 'file' | 'environment';
  readonly restart: boolean;
  readonly unbuilt: boolean;
  readonly secret?: boolean;
  readonly isSet?: boolean;
  readonly value?: Value;
  readonly default?: Value;
  readonly options?: readonly string[];
  readonly min?: number;
  readonly max?: number;
}

export interface Dynamic {
  readonly name: string;
  /** Absent: it is a secret. */
  readonly value?: string;
  readonly isSet?: boolean;
  readonly source: 'file' | 'environment';
}

export interface Settings {
  readonly settings: readonly Setting[];
  readonly dynamic: readonly Dynamic[];
  readonly restartNeeded: readonly string[];
  readonly file: string;
  readonly problems: readonly string[];
}

export interface Service {
  readonly name: string;
  readonly state: 'running' | 'stopped' | 'failed' | 'ended' | 'off' | 'absent';
  readonly vital: boolean;
  readonly needs: readonly string[];
  readonly since: string;
  readonly problem?: string;
  readonly actions: readonly ('start' | 'stop' | 'restart')[];
}

export interface Maintenance {
  readonly enabled: boolean;
  readonly address: string;
  readonly fromEnvironment: boolean;
}

export interface Session {
  readonly id: string;
  readonly since: string;
  readonly lastSeen: string;
  readonly address: string;
  readonly agent: string;
  readonly own: boolean;
}

export type Driver = 'embedded' | 'neo4j';

/** A connection to a database as the server keeps it. */
export interface KnownConnection {
  readonly name: string;
  readonly driver: Driver;
  /** Of an embedded database: as written, and in full. */
  readonly path?: string;
  readonly folder?: string;
  readonly url?: string;
  readonly username?: string;
  readonly databasename?: string;
  readonly hasPassword?: boolean;
  /** The server takes it at its next start. */
  readonly chosen: boolean;
  readonly running: boolean;
  readonly fromEnvironment: boolean;
  /** What copies the data of the chosen one there. */
  readonly copy?: string;
}

export interface Connections {
  readonly running: string;
  readonly connections: readonly KnownConnection[];
  /** What copies the data that the server runs with to the chosen one. */
  readonly copy?: string;
}

/** What is entered of one. */
export interface Connection {
  readonly path: string;
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly databasename: string;
}

/** What is sent of one: an empty password is none. */
export type ConnectionInput = Partial<Connection> & { readonly name?: string; readonly driver?: Driver };

export const server = {
  state: () => ask<State>(`${API}state`),
  login: (input: { readonly password?: string; readonly token?: string }) => ask(`${API}login`, input),
  logout: () => ask(`${API}logout`, {}),
  settings: () => ask<Settings>(`${API}settings`),
  /** Texts by name; null: back to the default. */
  save: (changes: Readonly<Record<string, string | null>>) => ask<Settings>(`${API}settings`, { changes }),
  reload: () => ask<{ readonly changed: readonly { readonly name: string }[] }>(`${API}reload`, {}),
  services: () => ask<readonly Service[]>(`${API}services`),
  act: (name: string, action: string) => ask<readonly Service[]>(`${API}services`, { name, action }),
  maintenance: () => ask<Maintenance>(`${API}maintenance`),
  switchMaintenance: (enabled: boolean) => ask<Maintenance>(`${API}maintenance`, { enabled }),
  sessions: () => ask<readonly Session[]>(`${API}sessions`),
  endSession: (id: string) => ask<readonly Session[]>(`${API}sessions`, { end: id }),
  connections: () => ask<Connections>(`${API}connections`),
  connection: (action: 'add' | 'save' | 'remove' | 'use', input: ConnectionInput) =>
    ask<Connections>(`${API}connections`, { action, ...input }),
  test: (input: ConnectionInput) =>
    ask<{ readonly ok: boolean; readonly message: string }>(`${API}connections`, { action: 'test', ...input }),
  finish: (input: {
    readonly password: string;
    readonly database?: Partial<Connection> & { readonly driver: string };
  }) => ask<{ readonly restartNeeded: readonly string[] }>(`${API}setup`, input),
  restart: () => ask(`${API}restart`, {}),
};
