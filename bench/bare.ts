/** uWebSockets.js alone, in a process of its own, that sends everybody what the server answered once. */
import { get, type IncomingMessage } from 'node:http';
import { Child } from './child.js';
import type { BareAnswer } from './children/bare-server.js';

type Headers = Readonly<Record<string, string>>;

export class Bare {
  private constructor(
    private readonly child: Child<BareAnswer, number>,
    readonly url: string,
    /** Bytes of the body. */
    readonly bytes: number,
  ) {}

  /** `url`: the server whose answer to a GET of this path is sent. Throws when its own is another. */
  static async start(url: string, path: string, headers: Headers): Promise<Bare> {
    const child = new Child<BareAnswer, number>('bare-server');
    try {
      const answer = await fetchRaw(url, path, headers);
      const own = `http://127.0.0.1:${String(await child.call(bareAnswer(answer)))}`;
      const copy = await fetchRaw(own, path, headers);
      if (headOf(copy) !== headOf(answer) || copy.body.length !== answer.body.length) {
        throw new Error(`the baseline does not send what the server sends:\n${headOf(answer)}\n\n${headOf(copy)}`);
      }
      return new Bare(child, own, answer.body.length);
    } catch (error) {
      await child.end();
      throw error;
    }
  }

  get pid(): number {
    return this.child.pid;
  }

  end(): Promise<void> {
    return this.child.end();
  }
}

interface RawAnswer {
  readonly message: IncomingMessage;
  readonly body: string;
}

function fetchRaw(url: string, path: string, headers: Headers): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    // A connection of its own: a kept one may have been closed by the server since the last case.
    get(url + path, { headers, agent: false }, (message) => {
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
