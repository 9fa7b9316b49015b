/** A real SMTP server for tests, which keeps what it gets. */
import { SMTPServer } from 'smtp-server';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Header lines, unfolded. */
  readonly headers: readonly string[];
  /** Everything after them, quoted-printable decoded. */
  readonly body: string;
}

export class MailServer {
  readonly mails: ReceivedMail[] = [];
  /** Statuses the next mails are refused with. */
  readonly refusals: number[] = [];
  /** Clients that connected. */
  connected = 0;
  /** Mails that were refused. */
  refused = 0;
  readonly #server: SMTPServer;

  private constructor() {
    this.#server = new SMTPServer({
      authOptional: true,
      hideSTARTTLS: true,
      disabledCommands: ['AUTH'],
      onConnect: (_, done) => {
        this.connected++;
        done();
      },
      onData: (stream, session, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const status = this.refusals.shift();
          if (status !== undefined) {
            this.refused++;
            done(Object.assign(new Error('not now, somebody@example.com'), { responseCode: status }));
            return;
          }
          const { mailFrom, rcptTo } = session.envelope;
          const from = mailFrom === false ? '' : mailFrom.address;
          this.mails.push(
            parse(
              from,
              rcptTo.map((one) => one.address),
              Buffer.concat(chunks).toString(),
            ),
          );
          done();
        });
      },
    });
  }

  static async start(): Promise<MailServer> {
    const own = new MailServer();
    await new Promise<void>((resolve) => {
      own.#server.listen(0, '127.0.0.1', resolve);
    });
    return own;
  }

  get port(): number {
    const address = this.#server.server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  /** Settings for a server that gives its mails to this one. */
  get settings(): Record<string, string | number | boolean> {
    return { 'smtp.host': '127.0.0.1', 'smtp.port': this.port, 'smtp.tls.required': false };
  }

  /** The newest mail to an address, once there are `count` of them. */
  async mailTo(address: string, count = 1): Promise<ReceivedMail> {
    const end = Date.now() + 60_000;
    for (;;) {
      const found = this.mails.filter((mail) => mail.to.includes(address));
      const last = found.at(-1);
      if (last !== undefined && found.length >= count) return last;
      if (Date.now() > end) throw new Error(`${String(found.length)} mails to ${address} instead of ${String(count)}`);
      await sleep(10);
    }
  }

  stop(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }
}

/** Path and query of the link in a mail. */
export function linkIn(mail: ReceivedMail): string {
  const match = /https?:\/\/[^/\s]+(\/\S*)/.exec(mail.body);
  if (match?.[1] === undefined) throw new Error(`no link in ${mail.body}`);
  return match[1];
}

function parse(from: string, to: string[], raw: string): ReceivedMail {
  const end = raw.indexOf('\r\n\r\n');
  const headers = raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const body = raw
    .slice(end + 4)
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return { from, to, headers, body };
}
