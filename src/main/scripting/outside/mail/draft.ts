/** The mail that scripts of a request put together, and how it went (docs/interface/script-runtime.md 8.9). */
import type { MailAddress, MailAttachment, MailServer } from '../../../mail/index.js';
import { ScriptError } from '../../language/errors.js';
import type { RunOptions, ScriptRun } from '../../run/run.js';
import type { ScriptEntity } from '../../language/values.js';

const MOST_RECEIVERS = 1000;
const MOST_ENTRIES = 200;
const LONGEST_HEADER = 10_000;
const HEADER_NAME = /^[!-9;-~]{1,200}$/;
/** They are made of the other parts of the mail. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  ...['from', 'sender', 'to', 'cc', 'bcc', 'reply-to', 'subject', 'in-reply-to', 'return-path', 'mime-version'],
]);
const CONTENT_TYPE = /^[\w.+-]{1,100}\/[\w.+-]{1,100}(?:[ \t]*;[\t\x20-\x7e]{0,500})?$/;

export type AddressList = 'to' | 'cc' | 'bcc' | 'replyTo';

export class MailDraft {
  from: MailAddress | undefined;
  bounce: string | undefined;
  subject = '';
  html = '';
  text = '';
  inReplyTo: string | undefined;
  readonly lists: Record<AddressList, MailAddress[]> = { to: [], cc: [], bcc: [], replyTo: [] };
  readonly headers = new Map<string, string>();
  readonly attachments: MailAttachment[] = [];
  readonly alternatives: { readonly content: string; readonly contentType: string }[] = [];

  /** Throws `ScriptError` 422 for an address or name of more than one line, and for too many. */
  add(list: AddressList, address: string, name: string): void {
    checkCount(this.lists[list].length, MOST_RECEIVERS, 'receivers');
    this.lists[list].push(addressOf(address, name));
  }

  attach(one: MailAttachment): void {
    checkCount(this.attachments.length, MOST_ENTRIES, 'attachments');
    this.attachments.push({ ...one, name: headerText(one.name) });
  }

  /** Throws `ScriptError` 422 for what is no content type. */
  addAlternative(content: string, contentType: string): void {
    if (!CONTENT_TYPE.test(contentType)) {
      throw new ScriptError(422, `${contentType.slice(0, 100)} is no content type for a part of a mail.`);
    }
    checkCount(this.alternatives.length, MOST_ENTRIES, 'parts');
    this.alternatives.push({ content, contentType });
  }

  /** Throws `ScriptError` 422 for headers that cannot be sent, or that other functions set. */
  setHeader(name: string, value: string): void {
    const lower = name.toLowerCase();
    if (!HEADER_NAME.test(name) || OWN_HEADERS.has(lower) || lower.startsWith('content-')) {
      throw new ScriptError(422, `The header ${name.slice(0, 100)} of a mail cannot be set.`);
    }
    const text = headerText(value);
    this.removeHeader(name);
    checkCount(this.headers.size, MOST_ENTRIES, 'headers');
    this.headers.set(name, text);
  }

  removeHeader(name: string): void {
    for (const known of this.headers.keys()) if (known.toLowerCase() === name.toLowerCase()) this.headers.delete(known);
  }
}

/** Mails of one request, with what holds for more than one of them. */
export class MailState {
  draft = new MailDraft();
  /** Begin of the names of the settings that count; undefined: none. */
  prefix: string | undefined;
  /** Comes before all settings. */
  server: MailServer | undefined;
  savesMails = false;
  saved: ScriptEntity | null = null;
  /** Why the last mail was not sent. */
  error: string | undefined;
}

/** Runs of one request (`doInNewTransaction`) have their options in common. */
const states = new WeakMap<RunOptions, MailState>();

export function mailState({ options }: ScriptRun): MailState {
  let state = states.get(options);
  if (state === undefined) {
    state = new MailState();
    states.set(options, state);
  }
  return state;
}

export function addressOf(address: string, name: string): MailAddress {
  return { address: headerText(address).trim(), name: headerText(name) };
}

/** A text that becomes part of a header. Throws `ScriptError` 422 when it has several lines: they would be headers of their own. */
export function headerText(text: string): string {
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u0008\u000a-\u001f\u007f\u0085\u2028\u2029]/.test(text)) {
    throw new ScriptError(
      422,
      'Addresses, names, subjects and headers of mails have one line, without control characters.',
    );
  }
  if (text.length > LONGEST_HEADER) throw new ScriptError(422, 'A header of this mail is too long.');
  return text;
}

function checkCount(count: number, most: number, what: string): void {
  if (count >= most) throw new ScriptError(422, `A mail has at most ${String(most)} ${what}.`);
}
