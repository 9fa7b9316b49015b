/**
 * What the launcher starts: the server's process. It tells in one line when a native package does not load, which
 * otherwise would be a stack trace from deep inside the imports.
 */
import { fstatSync } from 'node:fs';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { nativeProblem } from './check-native.js';
import { CompiledFiles } from './compiled.js';

const main = fileURLToPath(new URL('../dist/src/server/main.cjs', import.meta.url));

/**
 * The launcher holds the other end of descriptor 3. When it is killed without a chance to pass the signal on, that end
 * closes, and the server stops as on SIGTERM instead of running on unseen. Undefined without a launcher.
 */
function launcher() {
  try {
    if (!fstatSync(3).isSocket()) return undefined;
  } catch {
    return undefined;
  }
  const lifeline = new Socket({ fd: 3, readable: true, writable: true });
  lifeline.on('close', () => process.kill(process.pid, 'SIGTERM'));
  lifeline.on('error', () => undefined);
  lifeline.resume();
  lifeline.unref();
  return lifeline;
}

const problem = await nativeProblem();
if (problem !== undefined) {
  process.stderr.write(`svc: ${problem}\n`);
  process.exit(1);
}
const lifeline = launcher();
// As if the server had been started directly.
process.argv[1] = main;
const files = new CompiledFiles();
await files.run(main).started;
// A server that crashes from now on is worth starting again.
lifeline?.write('serving\n');
await files.keep();
