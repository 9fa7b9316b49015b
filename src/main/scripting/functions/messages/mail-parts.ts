/** Functions that put the mail of a request together (docs/interface/script-runtime.md 8.9). */
import type { ScriptContext } from '../../run/run.js';
import { ScriptError } from '../../language/errors.js';
import { fileContent, isFile } from '../../run/files/file-content.js';
import type { ScriptFunction } from '../../run/function/function.js';
import {
  addressOf,
  headerText,
  MailDraft,
  mailState,
  type AddressList,
  type MailState,
} from '../../outside/mail/draft.js';
import type { Awaitable, ScriptValue } from '../../language/values.js';
import { optionalText } from '../../run/function/arguments.js';

/** A function that changes the mails of the request, and answers nothing. */
export function setting(
  name: string,
  signature: string,
  meaning: string,
  example: string,
  [min, max]: readonly [number, number],
  set: (state: MailState, args: readonly ScriptValue[], context: ScriptContext) => Awaitable<void>,
): ScriptFunction {
  return {
    name,
    signature: `${name}(${signature})`,
    meaning,
    example: `${example} // `,
    min,
    max,
    run: (args, context) => {
      const done = set(mailState(context.run), args, context);
      return done instanceof Promise ? done.then(() => '') : '';
    },
  };
}

/** Null is the empty text. */
export const text = (value: ScriptValue | undefined, context: ScriptContext): string =>
  optionalText(value, '', context);

async function attach(draft: MailDraft, value: ScriptValue, name: string, context: ScriptContext): Promise<void> {
  if (!isFile(value, context)) throw new ScriptError(422, 'Only objects of type File can be attached to a mail.');
  const content = await fileContent(value, context);
  draft.attach(name === '' ? content : { ...content, name });
}

/** A File, a list of them, or null. */
export async function attachAll(
  draft: MailDraft,
  value: ScriptValue | undefined,
  context: ScriptContext,
): Promise<void> {
  const files = Array.isArray(value) ? value : [value ?? null];
  for (const one of files) if (one !== null) await attach(draft, one, '', context);
}

export const mailParts: readonly ScriptFunction[] = [
  setting(
    'mailBegin',
    'from [, fromName [, subject [, html [, text [, files]]]]]',
    'Begins the mail of this request anew. Servers that were selected, and whether mails are saved, stay.',
    "mailBegin('shop@example.com', 'Shop', 'Your order', '<p>Thank you.</p>', 'Thank you.')",
    [1, 6],
    (state, [from, name, subject, html, plain, files], context) => {
      const draft = new MailDraft();
      draft.from = addressOf(text(from, context), text(name, context));
      draft.subject = headerText(text(subject, context));
      draft.html = text(html, context);
      draft.text = text(plain, context);
      state.draft = draft;
      state.error = undefined;
      state.saved = null;
      return files === undefined || files === null ? undefined : attachAll(draft, files, context);
    },
  ),
  setting(
    'mailSetFrom',
    'address [, name]',
    'Sets the sender.',
    "mailSetFrom('shop@example.com', 'Shop')",
    [1, 2],
    ({ draft }, [address, name], context) => {
      draft.from = addressOf(text(address, context), text(name, context));
    },
  ),
  setting(
    'mailSetSubject',
    'subject',
    'Sets the subject.',
    "mailSetSubject('Order')",
    [1, 1],
    ({ draft }, [one], c) => {
      draft.subject = headerText(text(one, c));
    },
  ),
  setting(
    'mailSetHtmlContent',
    'html',
    'Sets the content as HTML.',
    "mailSetHtmlContent('<p>Thank you.</p>')",
    [1, 1],
    ({ draft }, [one], context) => {
      draft.html = text(one, context);
    },
  ),
  setting(
    'mailSetTextContent',
    'text',
    'Sets the content as plain text.',
    "mailSetTextContent('Thank you.')",
    [1, 1],
    ({ draft }, [one], context) => {
      draft.text = text(one, context);
    },
  ),
  ...addressFunctions('To', 'to', 'a receiver'),
  ...addressFunctions('Cc', 'cc', 'a receiver of a copy'),
  ...addressFunctions('Bcc', 'bcc', 'a receiver whom the others do not see'),
  ...addressFunctions('ReplyTo', 'replyTo', 'an address for answers'),
  setting(
    'mailSetBounceAddress',
    'address',
    'Sets where the mail is sent back to when it cannot be delivered; without one, to the sender.',
    "mailSetBounceAddress('bounces@example.com')",
    [1, 1],
    ({ draft }, [one], context) => {
      draft.bounce = addressOf(text(one, context), '').address;
    },
  ),
  setting(
    'mailClearBounceAddress',
    '',
    'Takes the address for what cannot be delivered away.',
    'mailClearBounceAddress()',
    [0, 0],
    ({ draft }) => {
      draft.bounce = undefined;
    },
  ),
  setting(
    'mailAddAttachment',
    'file [, name]',
    'Attaches a File; it is read while the mail is sent. A File that is evaluated when it is read is refused.',
    "mailAddAttachment(this, 'order.pdf')",
    [1, 2],
    ({ draft }, [file = null, name], context) => attach(draft, file, text(name, context), context),
  ),
  setting('mailClearAttachments', '', 'Takes all attachments away.', 'mailClearAttachments()', [0, 0], ({ draft }) => {
    draft.attachments.length = 0;
  }),
  setting(
    'mailAddMimePart',
    'content, type',
    'Adds the content in another form, such as text/calendar.',
    "mailAddMimePart('BEGIN:VCALENDAR', 'text/calendar')",
    [2, 2],
    ({ draft }, [content, type], context) => {
      draft.addAlternative(text(content, context), text(type, context));
    },
  ),
  setting('mailClearMimeParts', '', 'Takes all other forms away.', 'mailClearMimeParts()', [0, 0], ({ draft }) => {
    draft.alternatives.length = 0;
  }),
  setting(
    'mailAddHeader',
    'name, value',
    'Sets a header; null takes it away. Those of addresses, subject and content have functions of their own.',
    "mailAddHeader('X-Order', '7')",
    [2, 2],
    ({ draft }, [name, value = null], context) => {
      if (value === null) draft.removeHeader(text(name, context));
      else draft.setHeader(text(name, context), text(value, context));
    },
  ),
  setting(
    'mailRemoveHeader',
    'name',
    'Takes a header away.',
    "mailRemoveHeader('X-Order')",
    [1, 1],
    ({ draft }, [name], context) => {
      draft.removeHeader(text(name, context));
    },
  ),
  setting('mailClearHeaders', '', 'Takes all headers away.', 'mailClearHeaders()', [0, 0], ({ draft }) => {
    draft.headers.clear();
  }),
  setting(
    'mailSetInReplyTo',
    'messageId',
    'Says which mail this one answers.',
    "mailSetInReplyTo('<1@example.com>')",
    [1, 1],
    ({ draft }, [id], context) => {
      draft.inReplyTo = headerText(text(id, context));
    },
  ),
  setting('mailClearInReplyTo', '', 'The mail answers no other.', 'mailClearInReplyTo()', [0, 0], ({ draft }) => {
    draft.inReplyTo = undefined;
  }),
];

function addressFunctions(word: string, list: AddressList, what: string): ScriptFunction[] {
  return [
    setting(
      `mailAdd${word}`,
      'address [, name]',
      `Adds ${what}.`,
      `mailAdd${word}('ann@example.com', 'Ann')`,
      [1, 2],
      ({ draft }, [address, name], context) => {
        draft.add(list, text(address, context), text(name, context));
      },
    ),
    setting(`mailClear${word}`, '', `Takes away what mailAdd${word} added.`, `mailClear${word}()`, [0, 0], (state) => {
      state.draft.lists[list].length = 0;
    }),
  ];
}
