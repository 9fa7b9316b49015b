/** What is known of a server that does not end: Node's debugger is asked, from a thread of its own, where the loop is. */
import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';

/** The debugger listens, once it is asked to, where the system chooses. */
export const DEBUGGED: readonly string[] = ['--inspect-port=127.0.0.1:0'];

/** Milliseconds in which a server ends, however busy the machine is. */
const TO_END = 120_000;
/** Milliseconds for each answer of the debugger. */
const TO_ANSWER = 10_000;

/** What the loop waits for. */
const QUESTION = 'JSON.stringify(process.getActiveResourcesInfo())';

interface Server {
  readonly child: ChildProcess;
  readonly lines: readonly string[];
}

/** Servers that were started by this process and have not ended. */
const living = new Set<Server>();

interface Told {
  readonly id?: number;
  readonly method?: string;
  readonly result?: { readonly result?: { readonly value?: unknown } };
  readonly params?: { readonly callFrames?: readonly CallFrame[] };
}

interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  readonly location: { readonly lineNumber: number };
}

/** Knows a server until it ends. `lines`: what it prints. */
export function know(child: ChildProcess, lines: readonly string[]): void {
  const server = { child, lines };
  living.add(server);
  child.once('exit', () => living.delete(server));
}

/** Where the servers are that have not ended. They are killed: each further test would wait for them in vain. */
export async function killAll(): Promise<string> {
  const told: string[] = [];
  for (const { child, lines } of living) {
    told.push(`${await whereabouts(child, lines)}\n${lines.slice(-20).join('\n')}`);
    child.kill('SIGKILL');
  }
  return told.join('\n');
}

/** The exit code of a server that was told to end. When it does not end, all are killed, and this rejects with where they are. */
export async function endOf(exited: Promise<number | null>): Promise<number | null> {
  const stop = new AbortController();
  const late = sleep(TO_END, 'late' as const, { signal: stop.signal }).catch(() => 'late' as const);
  const ended = await Promise.race([exited, late]);
  stop.abort();
  if (ended !== 'late') return ended;
  throw new Error(`the server did not end in ${String(TO_END / 1000)} s. ${await killAll()}`);
}

/** Where the loop is, or what it waits for. */
async function whereabouts(child: ChildProcess, lines: readonly string[]): Promise<string> {
  child.kill('SIGUSR1');
  const url = await until(() => lines.map((line) => /Debugger listening on (\S+)/.exec(line)?.[1]).find(Boolean));
  if (url === undefined) return 'It answers no signal.';
  const told: Told[] = [];
  const socket = new WebSocket(url);
  socket.on('error', () => undefined);
  socket.on('message', (data: Buffer) => told.push(JSON.parse(data.toString()) as Told));
  const ask = (method: string, params: object = {}): void => {
    socket.send(JSON.stringify({ id: 1, method, params }));
  };
  socket.on('open', () => {
    ask('Debugger.enable');
    // Whatever runs next is stopped: what runs already, or, where that is nothing, the question.
    ask('Debugger.pause');
    ask('Runtime.evaluate', { expression: QUESTION });
  });
  const paused = await until(() => told.find(({ method }) => method === 'Debugger.paused'));
  const stack = (paused?.params?.callFrames ?? []).map(
    (one) => `${one.functionName} ${one.url}:${String(one.location.lineNumber + 1)}`,
  );
  if (stack.length === 1) ask('Debugger.resume');
  const answer =
    stack.length === 1 ? await until(() => told.find(({ result }) => result?.result !== undefined)) : undefined;
  socket.terminate();
  if (paused === undefined) return 'Its loop is within native code.';
  if (stack.length > 1) return `Its loop is within\n${stack.slice(0, 20).join('\n')}`;
  return `Its loop is alive; there are ${String(answer?.result?.result?.value)}.`;
}

async function until<T>(find: () => T | undefined): Promise<T | undefined> {
  for (const end = Date.now() + TO_ANSWER; Date.now() < end; await sleep(20)) {
    const found = find();
    if (found !== undefined) return found;
  }
  return undefined;
}
