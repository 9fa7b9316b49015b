/**
 * How commands talk to the running server of an embedded database, which nobody else may open: a socket beside the folder of the
 * database (in it, many programs could not copy that folder any more). The folder around the socket lets nobody in but the user the
 * server runs as, already while it is made: they own the data, so nothing else is asked of them.
 *
 * A connection carries one request and its answer, a line of JSON each: `{"command":"user passwd",…}`, `{"result":…}` or
 * `{"error":"…"}`.
 */
import { chmod, lstat, mkdir, rm, rmdir, stat } from 'node:fs/promises';
import { createServer, connect as connectTo, type Server, type Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { logger } from '../shared/log.js';
import { SchemaError } from './schema/index.js';

const log = logger('control');
/** Bytes of a request or an answer; a schema is one of the fields. */
const LONGEST_LINE = 67_108_864;
const PATIENCE_MS = 60_000;
const MOST_CONNECTIONS = 8;

/** The name of the command that sets a password (`user-passwd-command.ts`). */
export const USER_PASSWD = 'user passwd';
/** Those that run a maintenance command, look at its job and end it (`maintenance-command.ts`). */
export const MAINTENANCE = 'maintenance';
export const JOB = 'job';
/** The one that has no content of files removed for a while (`backup-command.ts`). */
export const KEEP_CONTENT = 'keep content';
/** The one that has the settings file read again (`config-command.ts`). */
export const RELOAD = 'reload';
export const ABORT_JOB = 'job abort';

/** Does what a command asks for, with the other fields of its request. What `SchemaError` says is told to who asked. */
export type Control = (fields: Readonly<Record<string, unknown>>) => Promise<unknown>;

/** Another end that answered with an error, or not at all. */
export class ControlError extends Error {
  override readonly name = 'ControlError';
}

/** Where the socket of the database in a folder may lie: beside it, or inside where nothing can be made beside it. */
function controlFolders(databasePath: string): readonly string[] {
  const folder = resolve(databasePath);
  return [`${folder}.control`, join(folder, 'control')];
}

const socketIn = (folder: string): string => join(folder, 'socket');

/** The server's end. */
export class ControlSocket {
  private constructor(
    private readonly server: Server,
    private readonly folder: string,
  ) {}

  /** Undefined where there can be no socket (its path is too long, the file system has none): commands need a stopped server then. */
  static async open(
    databasePath: string,
    controls: Readonly<Record<string, Control>>,
  ): Promise<ControlSocket | undefined> {
    let problem: unknown;
    for (const folder of controlFolders(databasePath)) {
      try {
        return new ControlSocket(await listenIn(folder, controls), folder);
      } catch (error) {
        problem ??= error;
      }
    }
    log.warn(`commands (svc user passwd) reach this server only when it is stopped: ${String(problem)}`);
    return undefined;
  }

  async stop(): Promise<void> {
    this.server.close();
    await rm(socketIn(this.folder), { force: true });
    // What else lies in it is somebody's.
    await rmdir(this.folder).catch(() => undefined);
  }
}

async function listenIn(folder: string, controls: Readonly<Record<string, Control>>): Promise<Server> {
  const path = socketIn(folder);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (!(await lstat(folder)).isDirectory()) throw new Error(`${folder} is no folder`);
  // Fails where the folder is somebody else's.
  await chmod(folder, 0o700);
  // Of a server that was killed: the lock on the database says that none is running.
  await rm(path, { force: true });
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    answer(socket, controls).catch((error: unknown) => {
      log.warn('a command could not be answered', error);
      socket.destroy();
    });
  });
  server.maxConnections = MOST_CONNECTIONS;
  await new Promise<void>((resolveListening, reject) => {
    server.once('error', reject);
    server.listen(path, resolveListening);
  });
  await chmod(path, 0o600);
  server.on('error', (error) => {
    log.warn('commands cannot reach this server any more', error);
  });
  server.unref();
  return server;
}

/**
 * The command's end: what a running server answers; undefined when none is running. `patience`: how long it may take (ms), 0: for ever.
 * Throws `ControlError`.
 */
export async function askServer(
  databasePath: string,
  command: string,
  fields: Readonly<Record<string, unknown>>,
  patience = PATIENCE_MS,
): Promise<unknown> {
  const socket = await anySocket(databasePath);
  if (socket === undefined) return undefined;
  try {
    socket.end(`${JSON.stringify({ ...fields, command })}\n`);
    const answered = JSON.parse(await lineOf(socket, patience)) as { result?: unknown; error?: unknown };
    if (typeof answered.error === 'string') throw new ControlError(answered.error);
    return answered.result ?? null;
  } catch (error) {
    if (error instanceof ControlError) throw error;
    throw new ControlError(`the server did not answer: ${String(error)}`, { cause: error });
  } finally {
    socket.destroy();
  }
}

async function anySocket(databasePath: string): Promise<Socket | undefined> {
  for (const folder of controlFolders(databasePath)) {
    if (!(await isOfOwner(folder, databasePath))) continue;
    const socket = await reach(socketIn(folder));
    if (socket !== undefined) return socket;
  }
  return undefined;
}

/** Whether it was made by whom the database belongs to, and lets nobody else in: others could listen there for passwords. */
async function isOfOwner(folder: string, databasePath: string): Promise<boolean> {
  try {
    const [one, database] = [await lstat(folder), await stat(databasePath)];
    return one.isDirectory() && one.uid === database.uid && (one.mode & 0o077) === 0;
  } catch {
    return false;
  }
}

function reach(path: string): Promise<Socket | undefined> {
  return new Promise((found, reject) => {
    const socket = connectTo(path);
    socket.once('connect', () => {
      socket.on('error', () => undefined);
      found(socket);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      // Too long a path is one where no server can listen either.
      const isNobody = ['ENOENT', 'ECONNREFUSED', 'ENOTDIR', 'ENAMETOOLONG', 'EINVAL'].includes(error.code ?? '');
      if (isNobody) found(undefined);
      else reject(new ControlError(`the server cannot be reached: ${error.message}`));
    });
  });
}

async function answer(socket: Socket, controls: Readonly<Record<string, Control>>): Promise<void> {
  socket.on('error', () => undefined);
  let told: { result: unknown } | { error: string };
  try {
    const fields = JSON.parse(await lineOf(socket)) as Record<string, unknown>;
    const { command } = fields;
    const control = typeof command === 'string' && Object.hasOwn(controls, command) ? controls[command] : undefined;
    if (control === undefined) told = { error: 'the server does not know this command: it is of another version' };
    else told = { result: await control(fields) };
  } catch (error) {
    // Neither the request nor what the parser quotes of it belongs into a log.
    if (error instanceof SchemaError) told = { error: refusalText(error) };
    else if (error instanceof SyntaxError) told = { error: 'the request is no JSON' };
    else {
      log.error('a command failed unexpectedly', error);
      told = { error: 'the server failed; see its log' };
    }
  }
  socket.end(`${JSON.stringify(told)}\n`);
}

/** What a refusal says, with the tokens that tell why. */
export function refusalText(error: SchemaError): string {
  const why = error.tokens.map(({ property, token }) => [property, token].filter(Boolean).join(' ')).join(', ');
  return why === '' ? error.message : `${error.message} (${why})`;
}

/** The first line that arrives. Throws when it is too long, or does not come in time. */
async function lineOf(socket: Socket, patience = PATIENCE_MS): Promise<string> {
  socket.setTimeout(patience, () => {
    socket.destroy(new Error('nothing came in time'));
  });
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    const end = chunk.indexOf(0x0a);
    chunks.push(end < 0 ? chunk : chunk.subarray(0, end));
    if (end >= 0) return Buffer.concat(chunks).toString('utf8');
    length += chunk.length;
    if (length > LONGEST_LINE) break;
  }
  throw new Error('no whole line came');
}
