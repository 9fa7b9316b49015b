/** Gives one mail to an SMTP server. */
import type { Config } from '../config/index.js';
import { oneLine } from './fill.js';
import { Readable } from 'node:stream';

/** Where mails are given to. */
export interface MailServer {
  readonly host: string;
  /** What its certificate has to be for, when `host` is an address that was looked up; absent: `host`. */
  readonly certifiedName?: string;
  readonly port: number;
  /** Empty, or without password: no login. */
  readonly user: string;
  readonly password: string;
  /** TLS is used where the server offers it. */
  readonly usesTls: boolean;
  /** Nothing is sent without TLS. */
  readonly requiresTls: boolean;
}

export interface MailAddress {
  /** Empty: none. */
  readonly name: string;
  readonly address: string;
}

/** Bytes that are read while the mail is sent. */
export interface MailAttachment {
  readonly name: string;
  readonly contentType: string;
  readonly read: (signal?: AbortSignal) => AsyncIterable<Buffer>;
}

/** Header values are made one line, addresses are checked; the rest is sent as it is. */
export interface Mail {
  readonly from: MailAddress;
  readonly to: readonly MailAddress[];
  readonly cc?: readonly MailAddress[];
  readonly bcc?: readonly MailAddress[];
  readonly replyTo?: readonly MailAddress[];
  /** Where mails that cannot be delivered are sent back to; absent: `from`. */
  readonly bounce?: string | undefined;
  readonly subject: string;
  /** At least one of both; empty: none. */
  readonly text: string;
  readonly html: string;
  readonly inReplyTo?: string | undefined;
  readonly headers?: ReadonlyMap<string, string>;
  /** The same content in other forms, such as `text/calendar`. */
  readonly alternatives?: readonly { readonly content: string; readonly contentType: string }[];
  readonly attachments?: readonly MailAttachment[];
}

const CONNECT_TIMEOUT = 10_000;
const SEND_TIMEOUT = 30_000;
/** With TLS from the first byte; all others begin in the clear and switch. */
const SMTPS = 465;
/** An address that can be part of no list and of no header but its own. */
const ADDRESS = /^[^\s<>()[\]\\,;:"@\p{Cc}]{1,64}@[^\s<>()[\]\\,;:"@\p{Cc}]{1,255}$/u;

/** A mail or its server cannot be used; trying again is of no use. */
export class MailError extends Error {
  override readonly name = 'MailError';
}

/**
 * The server of the settings. With a prefix that of `<prefix>.smtp.host` and the like, each of which falls back to the setting
 * without it. Throws `MailError` for values that make no sense.
 */
export function mailServer(config: Config, prefix?: string): MailServer {
  const own = prefix === undefined ? undefined : settingsBelow(`${prefix}.smtp.`, config.dynamic());
  const flag = (name: string, absent: boolean): boolean => {
    const text = own?.get(name)?.toLowerCase();
    return text === undefined ? absent : text === 'true';
  };
  const port = own?.get('port');
  if (port !== undefined && !/^[1-9]\d{0,4}$/.test(port)) {
    throw new MailError(`the setting ${prefix ?? ''}.smtp.port is no port`);
  }
  return {
    host: own?.get('host') ?? config.get('smtp.host'),
    port: port === undefined ? config.get('smtp.port') : Number(port),
    user: own?.get('user') ?? config.get('smtp.user').trim(),
    password: own?.get('password') ?? config.get('smtp.password'),
    usesTls: flag('tls.enabled', config.get('smtp.tls.enabled')),
    requiresTls: flag('tls.required', config.get('smtp.tls.required')),
  };
}

/** Settings that users named, by what follows the beginning, which is in any case. */
function settingsBelow(beginning: string, dynamic: ReadonlyMap<string, string>): Map<string, string> {
  const found = new Map<string, string>();
  for (const [name, value] of dynamic) {
    const lower = name.toLowerCase();
    if (lower.startsWith(beginning.toLowerCase())) found.set(lower.slice(beginning.length), value.trim());
  }
  return found;
}

/**
 * Resolves with the message id when the server has taken the mail. Throws `MailError` for addresses that cannot be used, and what
 * went wrong on the way (`mailProblem` and `mailReply` say it in words). A signal ends it.
 */
export async function deliver(mail: Mail, server: MailServer, signal?: AbortSignal): Promise<string> {
  const receivers = [...mail.to, ...(mail.cc ?? []), ...(mail.bcc ?? [])];
  const bounce = mail.bounce ?? mail.from.address;
  const all = [mail.from.address, bounce, ...[...receivers, ...(mail.replyTo ?? [])].map(({ address }) => address)];
  if (!all.every((address) => ADDRESS.test(address))) {
    throw new MailError('the address of the sender or a receiver cannot be used');
  }
  // Loaded when it is needed: many servers never send one.
  const nodemailer = await import('nodemailer');
  const transport = nodemailer.createTransport(optionsFor(server));
  const streams = (mail.attachments ?? []).map(({ read }) => Readable.from(read(signal), { objectMode: false }));
  // What is not read any more may still fail.
  for (const stream of streams) stream.on('error', () => undefined);
  try {
    const { messageId } = await transport.sendMail({
      // As objects: the text of an address is never taken for a list of them.
      from: named(mail.from),
      to: mail.to.map(named),
      cc: (mail.cc ?? []).map(named),
      replyTo: (mail.replyTo ?? []).map(named),
      envelope: { from: bounce, to: receivers.map(({ address }) => address) },
      subject: oneLine(mail.subject),
      ...(mail.text === '' ? {} : { text: mail.text }),
      ...(mail.html === '' ? {} : { html: mail.html }),
      ...(mail.inReplyTo === undefined ? {} : { inReplyTo: oneLine(mail.inReplyTo) }),
      headers: [...(mail.headers ?? [])].map(([key, value]) => ({ key: oneLine(key), value: oneLine(value) })),
      alternatives: [...(mail.alternatives ?? [])],
      attachments: (mail.attachments ?? []).map(({ name, contentType }, i) => ({
        filename: oneLine(name),
        contentType: oneLine(contentType),
        content: streams[i],
      })),
      disableFileAccess: true,
      disableUrlAccess: true,
      ...(signal === undefined ? {} : { signal }),
    });
    return messageId;
  } finally {
    transport.close();
    for (const stream of streams) stream.destroy();
  }
}

function named({ name, address }: MailAddress): { name: string; address: string } {
  return { name: oneLine(name), address };
}

function optionsFor({ host, certifiedName, port, user, password, usesTls, requiresTls }: MailServer): object {
  return {
    host,
    port,
    secure: port === SMTPS && usesTls,
    ignoreTLS: !usesTls,
    requireTLS: usesTls && requiresTls,
    ...(certifiedName === undefined ? {} : { tls: { servername: certifiedName } }),
    ...(user === '' || password.trim() === '' ? {} : { auth: { user, pass: password } }),
    connectionTimeout: CONNECT_TIMEOUT,
    greetingTimeout: CONNECT_TIMEOUT,
    socketTimeout: SEND_TIMEOUT,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** Whether trying again is of no use: SMTP says so by statuses from 500 on (RFC 5321, 4.2.1). */
export function isPermanent(error: unknown): boolean {
  if (error instanceof MailError) return true;
  const status = fieldOf(error, 'responseCode');
  return typeof status === 'number' && status >= 500;
}

/** Codes alone: the texts of servers repeat addresses and what was sent. */
export function mailProblem(error: unknown): string {
  if (error instanceof MailError) return error.message;
  const facts = ['code', 'responseCode', 'command']
    .map((key) => fieldOf(error, key))
    .filter((one) => one !== undefined);
  return facts.length > 0
    ? oneLine(facts.map(String).join(' '))
    : String(error instanceof Error ? error.name : 'Error');
}

/** The same for who wrote the mail: with what the server said. */
export function mailReply(error: unknown): string {
  return error instanceof Error && error.message !== '' ? oneLine(error.message).slice(0, 500) : mailProblem(error);
}

function fieldOf(error: unknown, key: string): unknown {
  return typeof error === 'object' && error !== null ? (error as Record<string, unknown>)[key] : undefined;
}
