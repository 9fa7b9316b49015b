/** The mail room: templates, and a queue that gives mails to an SMTP server in the background. */
export { Mailer, type MailDraft } from './mailer.js';
export { fillHtml, fillText, oneLine } from './fill.js';
export { MailTemplates } from './templates.js';
