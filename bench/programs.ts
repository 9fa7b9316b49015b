/** Programs of the system that the bench compares with. */
import { spawn, spawnSync } from 'node:child_process';

export const installed = (name: string): boolean => spawnSync(name, ['--help']).error === undefined;

/** Runs a program; its time in seconds. */
export function timed(name: string, args: readonly string[], cwd: string): Promise<number> {
  const since = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(name, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
    child.on('error', reject);
    child.on('exit', (code) => {
      if (code === 0) resolve((performance.now() - since) / 1000);
      else reject(new Error(`${name} ended with ${String(code)}`));
    });
  });
}
