/** What a running server does for commands of `svc` that whoever owns its database runs (control-socket.ts). */
import { isJsonObject } from '../../shared/json/index.js';
import { logger } from '../../shared/log.js';
import {
  ABORT_JOB,
  ControlSocket,
  JOB,
  KEEP_CONTENT,
  MAINTENANCE,
  RELOAD,
  USER_PASSWD,
  type Control,
} from '../control-socket.js';
import { ConfigError } from '../config/index.js';
import { FilesError, type Files } from '../files/index.js';
import { CommandError } from '../maintenance/index.js';
import { RestError, writeOptions, type RestServices } from '../rest/index.js';
import { ALLOW_ALL, SchemaError, SYSTEM } from '../schema/index.js';
import { MaintenanceError } from '../services/index.js';
import type { ScriptHost } from '../scripting/index.js';
import { schemaControls } from '../schema-control.js';
import { setPassword } from '../security/index.js';

const log = logger('main');
/** Milliseconds. */
const MOST_KEPT = 3_600_000;

/** For commands that need the server of an embedded database; Neo4j takes them itself. */
export async function openControl(services: RestServices, host: ScriptHost): Promise<ControlSocket | undefined> {
  const { config, graph, security, schemas, files } = services;
  if (config.get('database.driver') !== 'embedded') return undefined;
  return ControlSocket.open(config.path('database.path'), {
    [USER_PASSWD]: async ({ name, password }) => {
      if (typeof name !== 'string' || typeof password !== 'string')
        throw new SchemaError('name and password must be strings');
      const { principals } = security;
      const user = await setPassword({ schemas, principals, write: writeOptions(config, 'command') }, name, password);
      log.info(`the password of '${user}' was set by svc user passwd; their sessions have ended`);
      return user;
    },
    [KEEP_CONTENT]: ({ milliseconds }) => {
      if (typeof milliseconds !== 'number' || !(milliseconds >= 0 && milliseconds <= MOST_KEPT))
        throw new SchemaError('milliseconds is a number up to an hour');
      files.keepContent(milliseconds);
      return Promise.resolve(null);
    },
    [RELOAD]: () =>
      refusing(async () => {
        const changed = await config.reload();
        log.info(`read ${config.confPath} again`);
        return changed.length;
      }),
    ...schemaControls({ config, graph, schemas }),
    ...jobControls(host, files.jobs),
  });
}

function jobControls(host: Pick<ScriptHost, 'maintenance'>, jobs: Files['jobs']): Readonly<Record<string, Control>> {
  return {
    [MAINTENANCE]: ({ name, input }) =>
      refusing(() => {
        if (typeof name !== 'string' || !isJsonObject(input))
          throw new SchemaError('name and input must be a text and an object');
        return host.maintenance(name, input, { actor: SYSTEM, access: ALLOW_ALL });
      }),
    [JOB]: ({ id }) => refusing(() => Promise.resolve(jobs.get(idIn(id), SYSTEM).info(true))),
    [ABORT_JOB]: ({ id }) =>
      refusing(() => {
        jobs.act(idIn(id), 'abort', SYSTEM);
        return Promise.resolve(null);
      }),
  };
}

/** What is meant for clients is told to the command, too. */
async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isTold =
      error instanceof RestError ||
      error instanceof ConfigError ||
      error instanceof CommandError ||
      error instanceof MaintenanceError ||
      error instanceof FilesError;
    throw isTold ? new SchemaError(error.message, [], 'invalid') : error;
  }
}

function idIn(value: unknown): number {
  if (typeof value === 'number') return value;
  throw new SchemaError('the id of a job is a number');
}
