/**
 * Programs that this process starts: each in a group of its own, so that it ends with all that it has started, and none outlives the server.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { logger } from './log.js';

const log = logger('process');
/** Milliseconds after its end that a program's output is waited for: what it leaves running may hold it for ever. */
const AFTER_EXIT = 1000;

/** What has been started and has not ended: of this process, as its `exit` is. */
const running = new Set<ChildProcess>();

/** How a program ended. */
export interface ProgramEnd {
  readonly code: number | null;
  readonly killedBy: NodeJS.Signals | null;
  /** The beginning of what it wrote to its standard error. */
  readonly complaints: string;
}

export interface Program {
  readonly path: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Absent: the server's. */
  readonly folder?: string | undefined;
  /** Ends it; its reason is thrown then. */
  readonly signal: AbortSignal;
  /** About how many characters are kept of what it complains of. */
  readonly complaints: number;
  /** What is thrown when it cannot be started. */
  readonly unstarted: (error: NodeJS.ErrnoException) => Error;
}

/**
 * Runs a program, without a shell and without input: what it writes, as it comes, and how it ended. Whoever stops reading ends it, with all that it
 * has started.
 */
export async function* runProgram(program: Program): AsyncGenerator<Buffer, ProgramEnd, undefined> {
  const { path, args, env, folder, signal, complaints: most, unstarted } = program;
  signal.throwIfAborted();
  const child = spawn(path, args, {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    shell: false,
  });
  remember(child);
  let complaints = '';
  child.stderr.on('data', (chunk: Buffer) => {
    if (complaints.length < most) complaints += chunk.toString('utf8', 0, most);
  });
  let end: Omit<ProgramEnd, 'complaints'> | undefined;
  let left: NodeJS.Timeout | undefined;
  const closed = new Promise<void>((resolve, reject) => {
    child.once('error', (error) => reject(unstarted(error)));
    child.once('exit', (code, killedBy) => {
      end = { code, killedBy };
      left = setTimeout(() => dropOutput(child), AFTER_EXIT);
    });
    child.once('close', () => resolve());
  });
  closed.catch(() => undefined);
  const aborted = (): void => endGroup(child);
  signal.addEventListener('abort', aborted, { once: true });
  try {
    try {
      for await (const chunk of child.stdout) yield chunk as Buffer;
    } catch (error) {
      // Dropped after its end, or because of the signal.
      if (end === undefined && !signal.aborted) throw error;
    }
    await closed;
    signal.throwIfAborted();
    return { ...(end ?? { code: null, killedBy: null }), complaints };
  } finally {
    clearTimeout(left);
    signal.removeEventListener('abort', aborted);
    endGroup(child);
  }
}

/** Ends a program and all that it has started in its group, and what is still to be read of it. Never throws. */
function endGroup(child: ChildProcess): void {
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
function dropOutput({ stdout, stderr }: ChildProcess): void {
  stdout?.destroy();
  stderr?.destroy();
}

function remember(child: ChildProcess): void {
  if (running.size === 0) process.once('exit', endAll);
  running.add(child);
  child.once('close', () => forget(child));
  child.once('error', () => forget(child));
}

function forget(child: ChildProcess): void {
  if (running.delete(child) && running.size === 0) process.removeListener('exit', endAll);
}

function endAll(): void {
  for (const child of running) endGroup(child);
}
