/** Mails (docs/interface/script-runtime.md 8.9). */
import { decodeWords, encodeWords } from '../../../mail/index.js';
import type { ScriptContext } from '../../run/run.js';
import { ScriptError } from '../../language/errors.js';
import type { FunctionCategory, ScriptFunction } from '../../run/function/function.js';
import { addressOf, headerText, MailDraft, mailState, type MailState } from '../../outside/mail/draft.js';
import { saveMail, sendMail } from '../../outside/mail/send.js';
import { note } from '../../run/notes.js';
import { textOf } from '../../language/text.js';
import type { ScriptValue } from '../../language/values.js';
import { indexOf, isOff, isOn, misused, optionalText } from '../../run/function/arguments.js';
import { attachAll, mailParts, setting, text } from './mail-parts.js';
import { ofText } from '../../run/function/text-function.js';

/** Characters of a text whose encoded words are made or read. */
const LONGEST_HEADER_TEXT = 100_000;

const sendPlaintextMail: ScriptFunction = {
  name: 'sendPlaintextMail',
  signature: 'sendPlaintextMail(from, fromName, to, toName, subject, text)',
  meaning: 'Sends a mail of plain text; answers its message id. Fails with 422 when it cannot be sent.',
  example: "sendPlaintextMail('shop@example.com', 'Shop', me.eMail, me.name, 'Your order', 'Thank you.')",
  min: 6,
  max: 6,
  run: ([from, fromName, to, toName, subject, content], context) =>
    sendMail(simple([from, fromName, to, toName, subject], '', text(content, context), context), context),
};

const sendHtmlMail: ScriptFunction = {
  name: 'sendHtmlMail',
  signature: 'sendHtmlMail(from, fromName, to, toName, subject, html, text [, files])',
  meaning:
    'Sends a mail of HTML and plain text, with files attached; answers its message id. Fails with 422 when it cannot be sent.',
  example:
    "sendHtmlMail('shop@example.com', 'Shop', me.eMail, me.name, 'Your order', '<p>Thank you.</p>', 'Thank you.')",
  min: 7,
  max: 8,
  async run([from, fromName, to, toName, subject, html, plain, files], context) {
    const draft = simple([from, fromName, to, toName, subject], text(html, context), text(plain, context), context);
    await attachAll(draft, files, context);
    return sendMail(draft, context);
  },
};

function simple(
  [from, fromName, to, toName, subject]: readonly (ScriptValue | undefined)[],
  html: string,
  plain: string,
  context: ScriptContext,
): MailDraft {
  const draft = new MailDraft();
  draft.from = addressOf(text(from, context), text(fromName, context));
  draft.add('to', text(to, context), text(toName, context));
  draft.subject = headerText(text(subject, context));
  draft.html = html;
  draft.text = plain;
  return draft;
}

const mailSend: ScriptFunction = {
  name: 'mailSend',
  signature: 'mailSend()',
  meaning:
    'Sends the mail of this request; answers its message id, or an empty text when that failed: `mailGetError` says why. It needs ' +
    'a sender, a subject, content and a receiver.',
  example: "(mailBegin('shop@example.com'), mailSend(), mailGetError())",
  min: 0,
  max: 0,
  async run(_args, context) {
    const state = mailState(context.run);
    const { draft } = state;
    state.error = undefined;
    state.saved = null;
    let id: string;
    try {
      id = await sendMail(draft, context);
    } catch (error) {
      if (!(error instanceof ScriptError)) throw error;
      // What servers say repeats addresses, which are not for the log.
      note(context, `mailSend() failed; mailGetError() says why`);
      state.error = error.message;
      return '';
    }
    if (state.savesMails) state.saved = await saveMail(draft, id, context);
    return id;
  },
};

function asking(name: string, meaning: string, answer: (state: MailState) => ScriptValue): ScriptFunction {
  return {
    name,
    signature: `${name}()`,
    meaning,
    example: `${name}()`,
    min: 0,
    max: 0,
    run: (_args, context) => answer(mailState(context.run)),
  };
}

const mailSetManualConfig: ScriptFunction = {
  name: 'mailSetManualConfig',
  signature:
    'mailSetManualConfig([host = "localhost" [, port = 25 [, user [, password [, useTLS = true [, requireTLS = true]]]]]])',
  meaning: 'Gives the following mails of this request to this server, whatever the settings say.',
  example: "mailSetManualConfig('smtp.example.com', 587, 'user', 'password') // ",
  min: 0,
  max: 6,
  run(args, context) {
    const [host, port = null, user, password, usesTls, requiresTls] = args;
    const number = port === null ? 25 : indexOf(port);
    if (number === undefined || number < 1 || number > 65_535) return misused(this, 'needs a port', context);
    mailState(context.run).server = {
      host: optionalText(host, 'localhost', context),
      port: number,
      user: text(user, context),
      password: text(password, context),
      usesTls: !isOff(usesTls),
      requiresTls: !isOff(requiresTls),
    };
    return '';
  },
};

function words(name: string, meaning: string, example: string, change: (text: string) => string): ScriptFunction {
  return ofText(name, meaning, example, (given) => {
    if (given.length > LONGEST_HEADER_TEXT)
      throw new ScriptError(422, `The text of ${name}() is too long for a header.`);
    return change(given);
  });
}

export const mail: FunctionCategory = {
  title: 'Mail',
  functions: [
    sendPlaintextMail,
    sendHtmlMail,
    ...mailParts,
    setting(
      'mailSaveOutgoingMessage',
      'on',
      'Whether mails that `mailSend` sends are kept as objects of type EMailMessage.',
      'mailSaveOutgoingMessage(true)',
      [1, 1],
      (state, [on]) => {
        state.savesMails = isOn(on);
      },
    ),
    asking(
      'mailGetLastOutgoingMessage',
      'The EMailMessage of the last mail that was sent; null when it was not kept.',
      (s) => s.saved,
    ),
    mailSend,
    asking('mailHasError', 'Whether the last `mailSend` failed.', ({ error }) => error !== undefined),
    asking('mailGetError', 'Why the last `mailSend` failed; null when it did not.', ({ error }) => error ?? null),
    setting(
      'mailSelectConfig',
      'prefix',
      'Gives the following mails of this request to the server of the settings `<prefix>.smtp.host` and the like, each of which falls back to the one without prefix; null: to that of the settings again.',
      "mailSelectConfig('newsletter')",
      [1, 1],
      (state, [prefix = null], context) => {
        state.prefix = prefix === null || prefix === '' ? undefined : textOf(prefix, context);
      },
    ),
    mailSetManualConfig,
    setting(
      'mailResetManualConfig',
      '',
      'Ends what `mailSetManualConfig` set.',
      'mailResetManualConfig()',
      [0, 0],
      (state) => {
        state.server = undefined;
      },
    ),
    words(
      'mailEncodeText',
      'The text as headers of mails have it: other letters than ASCII in encoded words (RFC 2047).',
      "mailEncodeText('Grüße') // =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=",
      encodeWords,
    ),
    words(
      'mailDecodeText',
      'The text of a header of a mail, with its encoded words read.',
      "mailDecodeText('=?UTF-8?Q?Gr=C3=BC=C3=9Fe?=') // Grüße",
      decodeWords,
    ),
  ],
};
