/** Servers of PostgreSQL and MariaDB for tests, in folders of their own; undefined where they are not installed. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const START_TIMEOUT = 60_000;
export const DATABASE_PASSWORD = 'secret-of-tester';

/** User `tester` with the password above. */
export interface DatabaseServer {
  readonly port: number;
  stop(): Promise<void>;
}

interface Owner {
  readonly uid?: number;
  readonly gid?: number;
}

/** Servers refuse to run as root. */
async function ownerNamed(user: string): Promise<Owner> {
  if (process.getuid?.() !== 0) return {};
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async (what) => Number((await run('id', [what, user])).stdout)),
  );
  return { ...(uid === undefined ? {} : { uid }), ...(gid === undefined ? {} : { gid }) };
}

async function folderFor({ uid, gid }: Owner): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-test-db-'));
  if (uid !== undefined && gid !== undefined) await chown(folder, uid, gid);
  return folder;
}

/** A port that nobody listens on just now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function served(
  child: ChildProcess,
  folder: string,
  port: number,
  isReady: () => Promise<unknown>,
): Promise<DatabaseServer> {
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
    await rm(folder, { recursive: true, force: true });
  };
  for (const end = Date.now() + START_TIMEOUT; ; await sleep(100)) {
    try {
      await isReady();
      return { port, stop };
    } catch (error) {
      if (child.exitCode === null && Date.now() < end) continue;
      await stop();
      throw error;
    }
  }
}

/** With the database `postgres`. */
export async function startPostgres(): Promise<DatabaseServer | undefined> {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root) : [];
  const bin = versions.map((one) => join(root, one, 'bin')).find((one) => existsSync(join(one, 'initdb')));
  if (bin === undefined) return undefined;
  const owner = await ownerNamed('postgres');
  const folder = await folderFor(owner);
  const [data, secret] = [join(folder, 'data'), join(folder, 'password')];
  await writeFile(secret, DATABASE_PASSWORD);
  await run(
    join(bin, 'initdb'),
    ['-D', data, '-A', 'scram-sha-256', '-U', 'tester', '--no-sync', `--pwfile=${secret}`],
    { ...owner, cwd: folder },
  );
  const port = await freePort();
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off'].flatMap((one) => [
    '-c',
    one,
  ]);
  const child = spawn(join(bin, 'postgres'), ['-D', data, '-p', String(port), ...settings], {
    ...owner,
    cwd: folder,
    stdio: 'ignore',
  });
  return served(child, folder, port, () => run(join(bin, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port)]));
}

/** With the database `test`. */
export async function startMariaDb(): Promise<DatabaseServer | undefined> {
  const server = ['/usr/sbin/mariadbd', '/usr/sbin/mysqld'].find((one) => existsSync(one));
  if (server === undefined || !existsSync('/usr/bin/mariadb-install-db')) return undefined;
  const owner = await ownerNamed('mysql');
  const folder = await folderFor(owner);
  const port = await freePort();
  const data = join(folder, 'data');
  const socket = join(folder, 'sock');
  await run(
    '/usr/bin/mariadb-install-db',
    ['--no-defaults', `--datadir=${data}`, '--auth-root-authentication-method=normal'],
    {
      ...owner,
      cwd: folder,
    },
  );
  const child = spawn(
    server,
    ['--no-defaults', `--datadir=${data}`, '--bind-address=127.0.0.1', `--port=${String(port)}`, `--socket=${socket}`],
    { ...owner, cwd: folder, stdio: 'ignore' },
  );
  const sql =
    `CREATE DATABASE IF NOT EXISTS test; CREATE USER IF NOT EXISTS tester IDENTIFIED BY '${DATABASE_PASSWORD}'; ` +
    'GRANT ALL ON test.* TO tester; ' +
    `CREATE USER IF NOT EXISTS tester@localhost IDENTIFIED BY '${DATABASE_PASSWORD}'; GRANT ALL ON test.* TO tester@localhost`;
  return served(child, folder, port, () =>
    run('/usr/bin/mariadb', ['--no-defaults', '-u', 'root', '--protocol=socket', `--socket=${socket}`, '-e', sql]),
  );
}
