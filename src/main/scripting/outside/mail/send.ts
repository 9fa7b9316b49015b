/** Sends mails of scripts (docs/interface/script-runtime.md 8.9). */
import { FilesError } from '../../../files/index.js';
import type { Config } from '../../../config/index.js';
import {
  deliver,
  MailError,
  mailReply,
  mailServer,
  type Mail,
  type MailAddress,
  type MailServer,
} from '../../../mail/index.js';
import type { ScriptContext } from '../../run/run.js';
import { ScriptError } from '../../language/errors.js';
import { waitingSignal } from '../../run/limits/signals.js';
import type { ScriptEntity } from '../../language/values.js';
import { Targets } from '../http/targets.js';
import { mailState, type MailDraft, type MailState } from './draft.js';

/** What is answered in place of a message id by a server that sends no mails. */
const TESTING = 'Testing';

/**
 * Sends a mail by the server that the script or the settings say; answers its message id, `Testing` when the settings say that none
 * is to be sent. Throws `ScriptError` 422 when it was not sent.
 */
export async function sendMail(draft: MailDraft, context: ScriptContext): Promise<string> {
  const { run } = context;
  const state = mailState(run);
  run.transaction.reachesOut('a mail server');
  const { signal, stop } = waitingSignal(run);
  try {
    const mail = complete(draft);
    if (run.parts.config.get('smtp.testing.only')) return TESTING;
    return await deliver(mail, await serverOf(state, run.parts.config), signal);
  } catch (error) {
    const reason: unknown = signal.aborted ? signal.reason : error;
    const isOurs = reason instanceof ScriptError || reason instanceof FilesError;
    const why = isOurs ? reason.message.replace(/\.$/, '') : mailReply(reason);
    throw new ScriptError(422, `The mail could not be sent: ${why}.`, [], { cause: error });
  } finally {
    stop();
  }
}

/** A server that the script names is subject to what calls are: it must not lead to addresses that these may not reach. */
async function serverOf({ server, prefix }: MailState, config: Config): Promise<MailServer> {
  if (server === undefined) return mailServer(config, prefix);
  const targets = Targets.of(config);
  if (!targets.blocksAddresses) return server;
  return { ...server, host: await targets.addressOf(server.host), certifiedName: server.host };
}

/** Throws `MailError` for a mail that lacks something. */
function complete(draft: MailDraft): Mail {
  const { from, lists, subject, text, html, bounce, inReplyTo, headers, alternatives, attachments } = draft;
  if (from === undefined || from.address === '') throw new MailError('it has no sender');
  if (subject === '') throw new MailError('it has no subject');
  if (text === '' && html === '') throw new MailError('it has no content');
  if (lists.to.length + lists.cc.length + lists.bcc.length === 0) throw new MailError('it has no receiver');
  return { from, ...lists, subject, text, html, bounce, inReplyTo, headers, alternatives, attachments };
}

/** Keeps a mail that was sent as an object of type EMailMessage. */
export async function saveMail(draft: MailDraft, messageId: string, context: ScriptContext): Promise<ScriptEntity> {
  const { run } = context;
  const type = run.schema.type('EMailMessage');
  if (type === undefined) throw new ScriptError(500, 'The schema lacks EMailMessage.');
  const { from, lists, subject, text, html, inReplyTo, headers } = draft;
  const input = {
    subject,
    messageId,
    from: from === undefined ? '' : shown([from]),
    fromMail: from?.address ?? '',
    to: shown(lists.to),
    cc: shown(lists.cc),
    bcc: shown(lists.bcc),
    replyTo: shown(lists.replyTo),
    content: text,
    htmlContent: html,
    inReplyTo: inReplyTo ?? null,
    header: [...headers].map(([name, value]) => `${name}: ${value}`).join('\n'),
    sentDate: new Date().toISOString(),
  };
  return run.entities.create(type, input, context);
}

function shown(list: readonly MailAddress[]): string {
  return list.map(({ name, address }) => (name === '' ? address : `${name} <${address}>`)).join(', ');
}
