/** A server that speaks the protocol of MongoDB, in memory; undefined where Java or Maven is missing. It asks for no passwords. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { DatabaseServer } from './databases.js';

const run = promisify(execFile);
const POM = join(import.meta.dirname, 'mongodb/pom.xml');
const START_TIMEOUT = 60_000;
/** JavaScript for Java's. The server says that it is older (wire version 8) than the driver talks to, though it knows what is needed. */
const START = `
  var mongo = Packages.de.bwaldvogel.mongo;
  var version = { getWireVersion: function () { return 9 }, getVersionArray: function () { return java.util.List.of(4, 4, 0) } };
  var backend = new mongo.backend.memory.MemoryBackend().version(new JavaAdapter(mongo.MongoVersion, version));
  print(new mongo.MongoServer(backend).bind().getPort());`;

/** The folder of the jars. A copy of pom.xml, written last, says that they are all there. */
async function jars(): Promise<string> {
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'svc-mongodb');
  const [lib, complete] = [join(cache, 'lib'), join(cache, 'complete')];
  const wanted = await readFile(POM, 'utf8');
  if ((await readFile(complete, 'utf8').catch(() => '')) === wanted) return lib;
  // Of its own, as others may do the same.
  const [fresh, copy] = [join(cache, `lib-${String(process.pid)}`), `${complete}-${String(process.pid)}`];
  await mkdir(cache, { recursive: true });
  const goal = ['dependency:copy-dependencies', `-DoutputDirectory=${fresh}`];
  await run('mvn', ['--batch-mode', '--quiet', '--strict-checksums', '--file', POM, ...goal]);
  await rm(lib, { recursive: true, force: true });
  await rename(fresh, lib);
  await copyFile(POM, copy);
  await rename(copy, complete);
  return lib;
}

export async function startMongo(): Promise<DatabaseServer | undefined> {
  const found = await Promise.allSettled([run('java', ['-version']), run('mvn', ['-version'])]);
  if (found.some(({ status }) => status === 'rejected')) return undefined;
  const flags = ['-Xmx256m', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-XX:-UsePerfData'];
  const shell = ['-cp', join(await jars(), '*'), 'org.mozilla.javascript.tools.shell.Main', '-e', START];
  const child = spawn('java', [...flags, ...shell], { stdio: ['ignore', 'pipe', 'ignore'] });
  const exited = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
  };
  const timer = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT);
  for await (const line of createInterface(child.stdout)) {
    clearTimeout(timer);
    return { port: Number(line), stop };
  }
  throw new Error('the server of MongoDB for tests does not start');
}
