/** What is known of a server that does not end: where its thread is, by Node's own report. */
import type { ChildProcess } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Reports are written into this folder; Node has a thread for the signal, so a loop that never ends is seen, too. */
export const REPORTED: readonly string[] = ['--report-on-signal', '--report-signal=SIGUSR2'];

/** Milliseconds in which a server ends, however busy the machine is. */
const TO_END = 120_000;
/** Milliseconds for its report. */
const TO_REPORT = 5000;

interface Report {
  readonly javascriptStack?: { readonly message?: string; readonly stack?: readonly string[] };
  readonly nativeStack?: readonly { readonly symbol: string }[];
  readonly libuv?: readonly { readonly type: string; readonly is_active?: boolean }[];
}

/** The exit code of a server that was told to end. Rejects when it does not, and kills it. `folder`: that it was started in. */
export async function endOf(
  child: ChildProcess,
  exited: Promise<number | null>,
  folder: string,
): Promise<number | null> {
  const stop = new AbortController();
  const late = sleep(TO_END, 'late' as const, { signal: stop.signal }).catch(() => 'late' as const);
  const ended = await Promise.race([exited, late]);
  stop.abort();
  if (ended !== 'late') return ended;
  child.kill('SIGUSR2');
  await sleep(TO_REPORT);
  const told = await report(folder);
  child.kill('SIGKILL');
  throw new Error(`the server did not end in ${String(TO_END / 1000)} s; ${told}`);
}

async function report(folder: string): Promise<string> {
  const name = (await readdir(folder)).find((one) => /^report\..*\.json$/.test(one));
  if (name === undefined) return 'its main thread answers no signal: it is within native code';
  const { javascriptStack, nativeStack, libuv } = JSON.parse(await readFile(join(folder, name), 'utf8')) as Report;
  return JSON.stringify(
    {
      javascript: javascriptStack,
      native: nativeStack?.map(({ symbol }) => symbol),
      active: libuv?.filter((one) => one.is_active === true).map(({ type }) => type),
    },
    undefined,
    1,
  );
}
