/** `/_serverLog`: the log of the server, for administrators: its last lines, or those that come, as a stream (docs/interface/monitoring.md 6). */
import type { ResponseStream } from '../../../http/index.js';
import { lastLines, serverLogs } from '../../../scripting/index.js';
import { sendValue } from '../../answer/envelope.js';
import type { Resolver, RestRequest } from '../../context.js';
import { RestError } from '../../errors.js';

const DEFAULT_LINES = 50;
const MOST_LINES = 10_000;
const NAMES = ['lines', 'truncateLinesAfter', 'logFile'] as const;
type Name = (typeof NAMES)[number];
/** Streams that are open at a time. */
const MOST_STREAMS = 20;
/** Characters that may wait for the client of a stream. */
const MOST_WAITING = 1024 * 1024;
/** Milliseconds after which a stream says that it is still there, and looks at who listens. */
const HEARTBEAT = 10_000;

export const resolveServerLog: Resolver = (segments) => {
  if (segments.length !== 1 || segments[0] !== '_serverLog') return undefined;
  return { signature: '_serverLog', allow: ['GET', 'OPTIONS'], verbs: { GET: answer } };
};

async function answer(request: RestRequest): Promise<void> {
  const { actor, exchange, parameters, services } = request;
  // Lines tell of the requests of others: a permission for the endpoint alone is not enough.
  if (!actor.isAdmin) throw new RestError(403, 'Only administrators may read the log of the server.');
  const given = new Map<Name, string>();
  for (const [name, value] of parameters.filters) {
    const known = NAMES.find((one) => one === name);
    if (known === undefined)
      throw new RestError(400, `The parameter ${name} is not known: there are ${NAMES.join(', ')}.`);
    given.set(known, value);
  }
  const cut = numberIn(given, 'truncateLinesAfter') ?? Infinity;
  const shown = (line: string): string => (line.length > cut ? `${line.slice(0, cut)}[...]` : line);
  if (/\btext\/event-stream\b/i.test(exchange.header('accept'))) {
    if (exchange.method === 'GET') stream(request, shown);
    else exchange.end();
    return;
  }
  const lines = Math.min(MOST_LINES, numberIn(given, 'lines') ?? DEFAULT_LINES);
  const files = await serverLogs(services.config);
  const file = given.get('logFile') ?? files[0];
  if (file !== undefined && !files.includes(file)) throw new RestError(404, 'There is no such file of the log.');
  const found = file === undefined ? services.logTail.last(lines) : await lastLines(file, lines);
  exchange.setHeader('Cache-Control', 'no-store');
  await sendValue(request, { file: file ?? null, files, lines: found.map(shown) }, found.length);
}

function numberIn(given: ReadonlyMap<Name, string>, name: Name): number | undefined {
  const text = given.get(name);
  if (text === undefined || text === '-1') return undefined;
  if (!/^\d{1,9}$/.test(text)) throw new RestError(400, `${name} must be a number.`);
  return Number(text);
}

/** Sends each event of the log as it comes, until the client goes, falls behind, or is no administrator any more. */
function stream({ exchange, services }: RestRequest, shown: (line: string) => string): void {
  const { logTail, requests } = services;
  if (logTail.listeners >= MOST_STREAMS)
    throw new RestError(503, 'Too many streams of the log are open.', [], { 'Retry-After': '5' });
  exchange.setHeader('Content-Type', 'text/event-stream; charset=utf-8');
  exchange.setHeader('Cache-Control', 'no-cache, no-store');
  exchange.setHeader('X-Accel-Buffering', 'no');
  const out: ResponseStream = exchange.startStream();
  let waiting = 0;
  const write = (text: string): void => {
    waiting += text.length;
    if (waiting > MOST_WAITING) {
      end();
      return;
    }
    void out.write(text).then(() => {
      waiting -= text.length;
    });
  };
  const look = async (): Promise<void> => {
    const actor = await requests.sender(exchange);
    if (actor.isAdmin) write(':\r\n');
    else end();
  };
  const timer = setInterval(() => {
    // Whose login has ended hears no more.
    look().catch(end);
  }, HEARTBEAT);
  const stop = logTail.listen({
    line: (text) => {
      const lines = shown(text).split(/\r\n|\r|\n/);
      write(`event: log\r\n${lines.map((one) => `data: ${one}\r\n`).join('')}\r\n`);
    },
    end: () => {
      end();
    },
  });
  let isOver = false;
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    clearInterval(timer);
    stop();
    void out.end();
  };
  exchange.signal.addEventListener('abort', end);
  write(':\r\n');
}
