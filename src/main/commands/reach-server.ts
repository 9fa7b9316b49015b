/** The running server that the options of a command name: by its address, or by the settings file of one on this machine. */
import { askSecret } from '../../shared/ask-hidden.js';
import type { JsonObject, JsonValue } from '../../shared/json/index.js';
import { mustOwn, settingsIn, UsageError } from './settings.js';
import { ABORT_JOB, askServer, ControlError, JOB, MAINTENANCE } from '../control-socket.js';
import {
  checkOptions,
  PASSWORD_VARIABLE,
  RemoteError,
  RestServer,
  type JobView,
  type RunningServer,
  type ServerOptions,
} from '../remote/index.js';

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
  try {
    const config = await settingsIn(confPath);
    if (config.get('database.driver') !== 'embedded')
      throw new UsageError(`the database of ${confPath} is Neo4j: name the server with --url and --user.`);
    const folder = config.path('database.path');
    await mustOwn(folder);
    return new LocalServer(folder, confPath);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new RemoteError(error.message, true, { cause: error });
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
