/**
 * Mails leave in the background: nobody waits for an SMTP server, and how long an answer takes does not tell whether a
 * mail was sent. The queue is in memory and bounded; what is in it when the process ends is lost, and the log says so.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/index.js';
import { logger } from '../../shared/log.js';
import { deliver, isPermanent, mailProblem, mailServer } from './delivery.js';

const log = logger('mail');

/** One mail. Header values are made one line, addresses are checked; the rest is sent as it is. */
export interface MailDraft {
  readonly to: string;
  readonly senderName: string;
  readonly senderAddress: string;
  readonly subject: string;
  readonly text: string;
  /** Empty: plain text only. */
  readonly html: string;
}

const CONCURRENCY = 2;
const MAX_QUEUED = 1000;
/** Pauses before the next try (ms). */
const PAUSES = [1000, 10_000, 60_000, 300_000];
const STOP_PATIENCE = 3000;
/** Makes a mail when its turn has come; undefined: there is nothing to send after all. */
type MakeMail = () => Promise<MailDraft | undefined>;

interface Job {
  readonly what: string;
  readonly make: MakeMail;
}

export class Mailer {
  readonly #waiting: Job[] = [];
  readonly #stopping = new AbortController();
  #running = 0;
  /** Waiting, running, or between two tries. */
  #open = 0;
  #idle: (() => void) | undefined;

  constructor(private readonly config: Config) {}

  /** Lines a mail up; `what` names its kind in the log. Never waits and never throws. */
  send(what: string, make: MakeMail): void {
    if (this.#open >= MAX_QUEUED || this.#stopping.signal.aborted) {
      log.error(`a mail (${what}) was dropped: ${String(this.#open)} others wait`);
      return;
    }
    this.#open++;
    this.#waiting.push({ what, make });
    this.#next();
  }

  /** Gives what waits a few seconds to leave. */
  async stop(): Promise<void> {
    if (this.#busy) {
      const idle = new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
      await Promise.race([idle, sleep(STOP_PATIENCE, undefined, { ref: false })]);
    }
    this.#stopping.abort();
    if (this.#open > 0) log.error(`${String(this.#open)} mails were not sent: the server stops`);
  }

  #next(): void {
    while (this.#running < CONCURRENCY) {
      const job = this.#waiting.shift();
      if (job === undefined) return;
      this.#running++;
      void this.#run(job, 0);
    }
  }

  async #run(job: Job, tried: number): Promise<void> {
    let pause: number | undefined;
    try {
      await this.#deliver(job);
    } catch (error) {
      pause = isPermanent(error) ? undefined : PAUSES[tried];
      const then = pause === undefined ? 'it is given up' : `next try in ${String(pause / 1000)} s`;
      const line = `a mail (${job.what}) could not be sent, ${then}: ${mailProblem(error)}`;
      if (pause === undefined) log.error(line);
      else log.warn(line);
    }
    this.#running--;
    if (pause === undefined) this.#open--;
    else void this.#later(job, tried + 1, pause);
    this.#next();
    if (!this.#busy) this.#idle?.();
  }

  /** A place in the queue is kept, but nobody waits behind a server that is away. */
  async #later(job: Job, tried: number, pause: number): Promise<void> {
    try {
      await sleep(pause, undefined, { ref: false, signal: this.#stopping.signal });
    } catch {
      return;
    }
    this.#running++;
    await this.#run(job, tried);
  }

  /** Mails between two tries do not count: a server that stops does not wait for them. */
  get #busy(): boolean {
    return this.#running > 0 || this.#waiting.length > 0;
  }

  async #deliver({ what, make }: Job): Promise<void> {
    const mail = await make();
    if (mail === undefined) return;
    if (this.config.get('smtp.testing.only')) {
      log.info(`a mail (${what}) was not sent: smtp.testing.only`);
      return;
    }
    const { to, senderName, senderAddress, subject, text, html } = mail;
    const from = { name: senderName, address: senderAddress };
    await deliver({ from, to: [{ name: '', address: to }], subject, text, html }, mailServer(this.config));
  }
}
