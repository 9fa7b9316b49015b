/** Sends requests by wrk, which needs a fifth of the processor that autocannon needs. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childrenSeconds } from '../process-figures.js';
import type { LoadOrder, LoadResult } from './load-order.js';

/** What the script prints at the end; times in microseconds. */
interface Summary {
  readonly answers: number;
  readonly refused: number;
  readonly lost: number;
  readonly duration: number;
  readonly p50: number;
  readonly p99: number;
}

/**
 * Requests are made before anything is measured and read from a file: a line with the length, then the bytes. All connections take
 * the next one of the same list. A list of one is left to wrk, which then calls no Lua at all.
 */
const SCRIPT = `
local requests, at = {}, 0
function init(args)
  local file = assert(io.open(args[1], 'rb'))
  while true do
    local length = file:read('*n')
    if not length then break end
    file:read(1)
    requests[#requests + 1] = file:read(length)
  end
  file:close()
  if #requests == 1 then
    local only = requests[1]
    request = nil
    wrk.format = function() return only end
    wrk.init({})
  end
end
function request()
  at = at % #requests + 1
  return requests[at]
end
function done(summary, latency)
  local errors = summary.errors
  print(string.format('SUMMARY {"answers":%d,"refused":%d,"lost":%d,"duration":%d,"p50":%d,"p99":%d}',
    summary.requests, errors.status, errors.connect + errors.read + errors.write + errors.timeout, summary.duration,
    latency:percentile(50), latency:percentile(99)))
end
`;

/** The same as autocannon would measure. Throws when a request was refused or a connection lost. */
export async function loadByWrk(order: LoadOrder): Promise<LoadResult> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-wrk-'));
  try {
    const [script, requests] = [join(folder, 'script.lua'), join(folder, 'requests')];
    await writeFile(script, SCRIPT);
    await writeFile(requests, Buffer.concat(order.requests.flatMap((request) => message(order, request))));
    const run = (seconds: number): Promise<Summary> =>
      wrk([
        ...['--threads', '1', '--connections', String(order.connections), '--timeout', '60s'],
        ...[
          '--duration',
          `${String(Math.max(1, Math.round(seconds)))}s`,
          '--script',
          script,
          order.url,
          '--',
          requests,
        ],
      ]);
    const warming = order.warm > 0 ? await run(order.warm) : undefined;
    const before = childrenSeconds();
    const measured = await run(order.seconds);
    const after = childrenSeconds();
    if (measured.answers === 0) throw new Error('no answer in time');
    return {
      rate: measured.answers / (measured.duration / 1e6),
      answers: (warming?.answers ?? 0) + measured.answers,
      p50: measured.p50 / 1000,
      p99: measured.p99 / 1000,
      ...(before === undefined || after === undefined ? {} : { cpu: ((after - before) / measured.answers) * 1e6 }),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function message(order: LoadOrder, request: LoadOrder['requests'][number]): Buffer[] {
  const { method = order.method, path, body } = request;
  const content = Buffer.from(body ?? '');
  const headers = { host: new URL(order.url).host, ...order.headers };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  if (body !== undefined) lines.push(`content-length: ${String(content.length)}\r\n`);
  const head = Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  return [Buffer.from(`${String(head.length + content.length)}\n`), head, content, Buffer.from('\n')];
}

function wrk(args: readonly string[]): Promise<Summary> {
  return new Promise((resolve, reject) => {
    const child = spawn('wrk', args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => (text += part));
    child.once('error', reject);
    child.once('close', () => {
      const line = /^SUMMARY (.*)$/m.exec(text)?.[1];
      if (line === undefined) {
        reject(new Error(`wrk measured nothing:\n${text}`));
        return;
      }
      const summary = JSON.parse(line) as Summary;
      const { answers, refused, lost } = summary;
      if (refused > 0 || lost > 0) {
        reject(
          new Error(`${String(refused)} of ${String(answers)} requests refused, ${String(lost)} connections lost`),
        );
      } else resolve(summary);
    });
  });
}
