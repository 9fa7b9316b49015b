/** The mail room: templates, SMTP, and a queue that gives mails to a server in the background. */
export { deliver, mailReply, mailServer, MailError } from './delivery.js';
export type { Mail, MailAddress, MailAttachment, MailServer } from './delivery.js';
export { decodeWords, encodeWords } from './encoded-words.js';
export { Mailer, type MailDraft } from './mailer.js';
export { fillHtml, fillText, oneLine } from './fill.js';
export { MailTemplates, type MailText } from './templates.js';
