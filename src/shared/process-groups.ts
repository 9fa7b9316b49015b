/**
 * Programs that this process starts: each in a group of its own, so that it ends with all that it has started, and none outlives the server.
 */
import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { logger } from './log.js';

const log = logger('process');

/** What has been started and has not ended: of this process, as its `exit` is. */
const running = new Set<ChildProcess>();

/** Starts a program, without a shell. What it cannot be started for comes as its event `error`. */
export function startGroup(path: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const child = spawn(path, [...args], { ...options, detached: true, shell: false });
  if (running.size === 0) process.once('exit', endAll);
  running.add(child);
  child.once('close', () => forget(child));
  child.once('error', () => forget(child));
  return child;
}

/** Ends a program and all that it has started in its group, and what is still to be read of it. Never throws. */
export function endGroup(child: ChildProcess): void {
  const { pid } = child;
  dropOutput(child);
  if (pid === undefined) return;
  try {
    // What the program has started may outlive it.
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH') log.warn(`process ${String(pid)} could not be ended: ${code ?? ''}`);
  }
}

/** Nobody reads any more what it writes. */
export function dropOutput({ stdout, stderr }: ChildProcess): void {
  stdout?.destroy();
  stderr?.destroy();
}

function forget(child: ChildProcess): void {
  if (running.delete(child) && running.size === 0) process.removeListener('exit', endAll);
}

function endAll(): void {
  for (const child of running) endGroup(child);
}
