/** Cases 1 and 2: one object and one page, beside uWebSockets.js sending the same bytes. */
import { get, type IncomingMessage } from 'node:http';
import { Child } from '../child.js';
import type { BareAnswer } from '../children/bare-server.js';
import type { Context, Requests, Target } from '../context.js';
import { rateResult, type Result } from '../result.js';
import { CREDENTIALS } from '../server-process.js';
import { getOne, getPage } from './requests.js';

export async function readOne(context: Context): Promise<Result[]> {
  const dataset = await context.dataset(context.options.objects.normal);
  return [await read(context, 1, 'GET one object', getOne(dataset), 0.45)];
}

export async function readPage(context: Context): Promise<Result[]> {
  const dataset = await context.dataset(context.options.objects.normal);
  return [await read(context, 2, 'GET sorted page of 20', getPage(dataset), 0.12)];
}

async function read(
  context: Context,
  number: number,
  title: string,
  requests: Requests,
  goal: number,
): Promise<Result> {
  const server = await context.server(await context.dataset(context.options.objects.normal));
  const bare = new Child<BareAnswer, number>('bare-server');
  try {
    const path = requests.requests[0]?.path ?? '/';
    const answer = await fetchRaw(server.url, path);
    const port = await bare.call(bareAnswer(answer));
    const target: Target = { url: `http://127.0.0.1:${String(port)}`, pid: bare.pid };
    const copy = await fetchRaw(target.url, path);
    if (headOf(copy) !== headOf(answer) || copy.body.length !== answer.body.length) {
      throw new Error(`the baseline does not send what the server sends:\n${headOf(answer)}\n\n${headOf(copy)}`);
    }
    await context.warm(server, requests);
    const sides = await context.compare(
      () => context.rate(target, requests),
      () => context.rate(server, requests),
    );
    const note = `${String(answer.body.length)} bytes of body`;
    return rateResult(
      { case: number, title, unit: 'requests/s', baselineTitle: 'bare uWebSockets.js', note },
      sides,
      goal,
    );
  } finally {
    await bare.end();
  }
}

interface RawAnswer {
  readonly message: IncomingMessage;
  readonly body: string;
}

function fetchRaw(url: string, path: string): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    // A connection of its own: a kept one may have been closed by the server since the last case.
    get(url + path, { headers: CREDENTIALS, agent: false }, (message) => {
      let body = '';
      message.setEncoding('utf8');
      message.on('data', (part: string) => (body += part));
      message.on('end', () => {
        resolve({ message, body });
      });
    }).on('error', reject);
  });
}

/** Written by uWebSockets.js itself; the rest is the service's. */
const OF_THE_LIBRARY = new Set(['content-length', 'date', 'connection', 'keep-alive', 'uwebsockets']);

function headerLines({ message }: RawAnswer, keep: (name: string) => boolean): string[] {
  const { rawHeaders } = message;
  const lines: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const [name = '', value = ''] = rawHeaders.slice(i, i + 2);
    if (keep(name.toLowerCase())) lines.push(`${name}: ${value}`);
  }
  return lines;
}

/** All lines but those whose value is the time, sorted: the order costs nothing. */
function headOf(answer: RawAnswer): string {
  return [`${String(answer.message.statusCode)}`, ...headerLines(answer, (n) => n !== 'date').sort()].join('\n');
}

function bareAnswer(answer: RawAnswer): BareAnswer {
  const status = `${String(answer.message.statusCode)} ${answer.message.statusMessage ?? ''}`;
  return { head: [status, ...headerLines(answer, (n) => !OF_THE_LIBRARY.has(n))].join('\r\n'), body: answer.body };
}
