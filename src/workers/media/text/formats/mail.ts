/** E-mail: what is in its head, its text, and what is attached. */
import { optional } from '../../../../shared/optional-package.js';
import type { Format } from '../format.js';
import { sourceOf } from '../source.js';
import { addHtml } from './html.js';

const HEADS =
  /^(?:received|return-path|delivered-to|mime-version|message-id|subject|from|to|date|reply-to|content-type|dkim-signature|x-[\w-]+):/gim;
/** Heads that tell one from other texts with colons. */
const LEAST_HEADS = 3;
const BODY = /\r?\n\r?\n/;

export const mail: Format = {
  name: 'e-mail',
  is({ head, name, contentType }) {
    const [start = ''] = head.toString('latin1').split(BODY, 1);
    if (!/^[A-Za-z][\w-]*:[ \t]/.test(start) && !start.startsWith('From ')) return false;
    const heads = start.match(HEADS)?.length ?? 0;
    return heads >= (/\.eml$/i.test(name) || contentType === 'message/rfc822' ? 1 : LEAST_HEADS);
  },
  async read(source, { sink, within }) {
    const { default: PostalMime } = await optional(() => import('postal-mime'));
    const mail = await PostalMime.parse(await source.bytes(), {
      maxNestingDepth: 50,
      // Mails in mails are documents in documents.
      forceRfc822Attachments: true,
    });
    sink.line(mail.subject ?? '');
    for (const one of [mail.from, ...(mail.to ?? []), ...(mail.cc ?? [])]) {
      if (one !== undefined) sink.line(`${one.name} ${one.address ?? ''}`.trim());
    }
    if (mail.text !== undefined && mail.text.trim() !== '') sink.line(mail.text);
    else if (mail.html !== undefined) addHtml(mail.html, sink);
    for (const { content, filename, mimeType } of mail.attachments) {
      sink.line(filename ?? '');
      const bytes = typeof content === 'string' ? Buffer.from(content) : Buffer.from(content as ArrayBuffer);
      await within(sourceOf(bytes, filename ?? '', mimeType));
    }
  },
};
