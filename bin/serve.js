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
 * closes, and the server stops as on SIGTERM instead of running on unseen.
 */
function stopWithLauncher() {
  try {
    if (!fstatSync(3).isSocket()) return;
  } catch {
    return;
  }
  const lifeline = new Socket({ fd: 3, readable: true, writable: false });
  lifeline.on('close', () => process.kill(process.pid, 'SIGTERM'));
  lifeline.on('error', () => undefined);
  lifeline.resume();
  lifeline.unref();
}

const problem = nativeProblem();
if (problem !== undefined) {
  process.stderr.write(`svc: ${problem}\n`);
  process.exit(1);
}
stopWithLauncher();
// As if the server had been started directly.
process.argv[1] = main;
const files = new CompiledFiles();
await files.run(main).started;
await files.keep();
