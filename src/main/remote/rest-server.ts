/** A running server by its REST interface, on this machine or another. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject, JsonValue } from '../../shared/json/index.js';
import { RemoteError, type JobView, type RunningServer } from './running-server.js';

/** Who asks. */
export interface Credentials {
  readonly user: string;
  readonly password: string;
}

/** Times that a question which only reads is asked again when the server cannot be reached, and pause (ms). */
const ATTEMPTS = 5;
const PAUSE = 500;

export class RestServer implements RunningServer {
  readonly name: string;
  private readonly base: string;

  /** Throws `RemoteError` for what is no address of a server. */
  constructor(
    url: string,
    private readonly credentials: Credentials,
  ) {
    const parsed = URL.canParse(url) ? new URL(url) : undefined;
    if (parsed === undefined || !/^https?:$/.test(parsed.protocol))
      throw new RemoteError('the address of a server begins with http:// or https://.', true);
    // In arguments, they can be seen by others of the machine.
    if (parsed.username !== '' || parsed.password !== '')
      throw new RemoteError('give the user with --user, and no password in the address.', true);
    this.name = parsed.origin;
    this.base = `${parsed.origin}${parsed.pathname.replace(/\/+$/, '')}`;
  }

  /** Whether what is sent can be read on its way. */
  get isOpen(): boolean {
    const { protocol, hostname } = new URL(this.base);
    return protocol === 'http:' && !/^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  }

  async maintenance(command: string, input: JsonObject): Promise<readonly JsonValue[]> {
    const { result } = await this.request('POST', `/svc/rest/maintenance/${encodeURIComponent(command)}`, input);
    return Array.isArray(result) ? result : result === undefined ? [] : [result];
  }

  async job(id: number): Promise<JobView> {
    const path = `/svc/rest/jobs/${String(id)}`;
    for (let attempt = 1; ; attempt++) {
      try {
        return (await this.request('GET', path))['result'] as unknown as JobView;
      } catch (error) {
        if (!(error instanceof RemoteError) || error.cause === undefined || attempt === ATTEMPTS) throw error;
        await sleep(PAUSE);
      }
    }
  }

  async abort(id: number): Promise<void> {
    await this.request('POST', `/svc/rest/jobs/${String(id)}/abort`, {});
  }

  /** One request as this user: the envelope of the answer. Throws `RemoteError`, with a cause when the server was not reached. */
  async request(method: string, path: string, body?: JsonValue): Promise<JsonObject> {
    let status: number;
    let text: string;
    try {
      const answer = await fetch(this.base + path, {
        method,
        // Whoever answers with another address gets no password.
        redirect: 'error',
        headers: {
          'X-User': header(this.credentials.user),
          'X-Password': header(this.credentials.password),
          Accept: 'application/json',
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      ({ status } = answer);
      text = await answer.text();
    } catch (error) {
      throw new RemoteError(`${this.name} cannot be reached: ${causeOf(error)}`, false, { cause: error });
    }
    const parsed = objectIn(text);
    if (status < 300 && parsed !== undefined) return parsed;
    const said =
      typeof parsed?.['message'] === 'string'
        ? parsed['message']
        : 'it is no server of svc, or one is not reached there';
    throw new RemoteError(`${this.name} answered ${String(status)}: ${said}`);
  }
}

/** As a header carries it: what is not in ISO 8859-1 goes as UTF-8, which the server reads. */
function header(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

function objectIn(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as JsonValue;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What fetch hides behind "fetch failed". */
function causeOf(error: unknown): string {
  const { cause, message } = error as Error;
  if (!(cause instanceof Error)) return message;
  return cause.message || ((cause as NodeJS.ErrnoException).code ?? message);
}
