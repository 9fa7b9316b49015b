/** The running server that the options of a command name: by its address, or by the settings file of one on this machine. */
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { askSecret } from '../shared/ask-hidden.js';
import type { JsonObject, JsonValue } from '../shared/json.js';
import { Config, ConfigError } from './config/index.js';
import { ABORT_JOB, askServer, ControlError, JOB, MAINTENANCE } from './control-socket.js';
import {
  checkOptions,
  PASSWORD_VARIABLE,
  RemoteError,
  RestServer,
  type JobView,
  type RunningServer,
  type ServerOptions,
} from './remote/index.js';

/** Throws `RemoteError`. */
export async function reachServer(options: ServerOptions): Promise<RunningServer> {
  checkOptions(options);
  const { url, user } = options;
  if (url !== undefined && user !== undefined) return restServer(url, user);
  return localServer(options.conf ?? 'svc.conf');
}

/** By its address; the password comes from the environment or the terminal. */
export async function restServer(url: string, user: string): Promise<RestServer> {
  // What is wrong with the address is told before a password is asked for.
  void new RestServer(url, { user, password: '' });
  const password = process.env[PASSWORD_VARIABLE] ?? (await askSecret(`Password of ${user}`));
  if (password === undefined || password === '') throw new RemoteError('no password was given.');
  const server = new RestServer(url, { user, password });
  if (server.isOpen)
    process.stderr.write(`${server.name} is asked without HTTPS: others on the way can read the password.\n`);
  return server;
}

async function localServer(confPath: string): Promise<RunningServer> {
  // Loading would write a file that is not there.
  if (!existsSync(confPath)) throw new RemoteError(`there is no settings file ${confPath}; see --help.`, true);
  const folder = await folderIn(confPath);
  if (folder === undefined)
    throw new RemoteError(`the database of ${confPath} is Neo4j: name the server with --url and --user.`, true);
  const owner = await stat(folder).then(
    ({ uid }) => uid,
    () => undefined,
  );
  if (owner === undefined) throw new RemoteError(`there is no database in ${folder}.`, true);
  const own = process.getuid?.();
  if (own !== undefined && own !== owner)
    throw new RemoteError(
      `${folder} belongs to the user with the number ${String(owner)}: run this as that user.`,
      true,
    );
  return new LocalServer(folder, confPath);
}

async function folderIn(confPath: string): Promise<string | undefined> {
  try {
    const config = await Config.load({ confPath, env: process.env });
    return config.get('database.driver') === 'embedded' ? config.path('database.path') : undefined;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new RemoteError(error.problems.map(({ message }) => message).join('; '), true, { cause: error });
  }
}

/** By the socket beside its database. */
class LocalServer implements RunningServer {
  readonly name: string;

  constructor(
    private readonly folder: string,
    private readonly confPath: string,
  ) {
    this.name = `the server of ${folder}`;
  }

  async maintenance(command: string, input: JsonObject): Promise<readonly JsonValue[]> {
    return (await this.ask(MAINTENANCE, { name: command, input }, 0)) as readonly JsonValue[];
  }

  async job(id: number): Promise<JobView> {
    return (await this.ask(JOB, { id })) as JobView;
  }

  async abort(id: number): Promise<void> {
    await this.ask(ABORT_JOB, { id });
  }

  private async ask(command: string, fields: Readonly<Record<string, unknown>>, patience?: number): Promise<unknown> {
    let answered: unknown;
    try {
      answered = await askServer(this.folder, command, fields, patience);
    } catch (error) {
      if (error instanceof ControlError) throw new RemoteError(error.message, false, { cause: error });
      throw error;
    }
    if (answered !== undefined) return answered;
    throw new RemoteError(
      `the server of ${this.folder} is not running: start it (svc --conf ${this.confPath}), then try again.`,
    );
  }
}
