/** Mails of scripts, by methods over REST and a real SMTP server (docs/interface/script-runtime.md 8.9). */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { decodeWords, encodeWords } from '../../src/main/mail/index.js';
import type { Answer, Client } from '../support/client.js';
import { file, uploaded } from '../support/files.js';
import { MailServer, type ReceivedMail } from '../support/mail-server.js';
import { TestServer } from '../support/server.js';

/** A function with its arguments; `{ file: id }` stands for a file, `{ list: [...] }` for a list, `{ isNull: true }` for null. */
type Call = readonly [name: string, ...args: unknown[]];

const RUN = `{
  const real = (one) => one === null || typeof one !== 'object' ? one
    : one.isNull ? null
    : one.list !== undefined ? one.list.map(real)
    : $.find('File', one.file);
  return $.retrieve('calls').map(({ name, args }) => $[name](...args.map(real)));
}`;
const NULL = { isNull: true };
const BEGIN: Call = ['mailBegin', 'shop@example.com', 'Shop', 'Your order', '<p>Thank you.</p>', 'Thank you.'];

let mails: MailServer;
let second: MailServer;
let server: TestServer;
let admin: Client;

beforeAll(async () => {
  [mails, second] = await Promise.all([MailServer.start(), MailServer.start()]);
  server = await TestServer.start({
    settings: {
      ...mails.settings,
      'Letters.smtp.port': second.port,
      'bad.smtp.port': 'none',
      'strict.smtp.tls.required': true,
    },
  });
  ({ admin } = server);
  await admin.create('SchemaMethod', { name: 'run', source: RUN });
  const source =
    "(mailBegin('shop@example.com', 'Shop', 'Order'), mailSetTextContent('by expression'), mailAddTo(retrieve('to')), mailSend())";
  await admin.create('SchemaMethod', { name: 'exMail', source });
  await admin.create('SchemaMethod', {
    name: 'exPlain',
    source: "sendPlaintextMail('a@example.com', 'A', retrieve('to'), 'B', 'plain', 'text')",
  });
});
beforeEach(() => {
  mails.mails.length = 0;
  second.mails.length = 0;
});
afterAll(async () => {
  await server.stop();
  await Promise.all([mails.stop(), second.stop()]);
});

const raw = (...calls: Call[]): Promise<Answer> =>
  admin.post('/run', { calls: calls.map(([name, ...args]) => ({ name, args })) });
/** What each of the functions answered. */
async function js(...calls: Call[]): Promise<Answer['body'][]> {
  const answer = await raw(...calls);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.result;
}
async function refused(...calls: Call[]): Promise<string> {
  const answer = await raw(...calls);
  expect(answer.status, answer.text).toBe(422);
  return answer.body.message;
}
function only(): ReceivedMail {
  expect(mails.mails).toHaveLength(1);
  return mails.mails[0] as ReceivedMail;
}
const ID = /^<[^<>@\s]+@[^<>@\s]+>$/;

describe('mails at once', () => {
  it('of plain text', async () => {
    const [id] = await js(['sendPlaintextMail', 'a@example.com', 'Änne', 'b@example.com', 'Bob', 'Größe', 'Hällo']);
    expect(id).toMatch(ID);
    const mail = only();
    expect(mail).toMatchObject({ from: 'a@example.com', to: ['b@example.com'] });
    expect(mail.headers).toContain('To: Bob <b@example.com>');
    expect(mail.headers).toContain(`Message-ID: ${String(id)}`);
    expect(mail.headers.filter((one) => /^(?:Subject|From):/.test(one)).map(decodeWords)).toEqual(
      expect.arrayContaining(['Subject: Größe', 'From: Änne <a@example.com>']),
    );
    expect(Buffer.from(mail.body, 'latin1').toString('utf8')).toContain('Hällo');
  });

  it('of HTML, with files', async () => {
    const content = Buffer.from(Array.from({ length: 1000 }, (_, i) => i % 256));
    const id = await uploaded(admin, file('größe.bin', content, 'application/octet-stream'));
    await js([
      'sendHtmlMail',
      'a@example.com',
      'A',
      'b@example.com',
      'B',
      's',
      '<b>x</b>',
      'plain',
      { list: [{ file: id }] },
    ]);
    const { body } = only();
    expect(body).toContain('<b>x</b>');
    expect(body).toContain('plain');
    expect(body.replace(/\s/g, '')).toContain(content.toString('base64').replace(/=+$/, ''));
    expect(body).toContain('Content-Disposition: attachment');
  });

  it('by an expression', async () => {
    const answer = await admin.post('/exPlain', { to: 'b@example.com' });
    expect(answer.body.result).toMatch(ID);
    expect(only().to).toEqual(['b@example.com']);
  });

  it('that cannot be sent: 422', async () => {
    const mail = (to: string): Call => ['sendPlaintextMail', 'a@example.com', '', to, '', 's', 't'];
    mails.refusals.push(550);
    expect(await refused(mail('b@example.com'))).toMatch(/^The mail could not be sent: .*550/);
    expect(await refused(mail('no address'))).toContain('cannot be used');
    expect(await refused(mail('b@example.com, c@example.com'))).toContain('cannot be used');
    expect(await refused(['mailSetManualConfig', '127.0.0.1', 1], mail('b@example.com'))).toContain('ECONNREFUSED');
  });
});

describe('the mail of a request', () => {
  it('has everything that was set', async () => {
    const id = await uploaded(admin, file('order.txt', 'the order'));
    const results = await js(
      BEGIN,
      ['mailAddTo', 'to@example.com', 'To'],
      ['mailAddCc', 'cc@example.com', 'Cc'],
      ['mailAddBcc', 'bcc@example.com'],
      ['mailAddReplyTo', 'reply@example.com', 'Reply'],
      ['mailSetBounceAddress', 'bounce@example.com'],
      ['mailAddHeader', 'X-Order', '7'],
      ['mailAddHeader', 'X-Gone', '8'],
      ['mailRemoveHeader', 'x-gone'],
      ['mailSetInReplyTo', '<1@example.com>'],
      ['mailAddAttachment', { file: id }, 'renamed.txt'],
      ['mailAddMimePart', 'BEGIN:VCALENDAR', 'text/calendar'],
      ['mailSend'],
      ['mailHasError'],
      ['mailGetError'],
      ['mailGetLastOutgoingMessage'],
    );
    expect(results.slice(0, -4).every((one) => one === '')).toBe(true);
    expect(results.at(-4)).toMatch(ID);
    expect(results.slice(-3, -1)).toEqual([false, null]);
    const mail = only();
    expect(mail.from).toBe('bounce@example.com');
    expect([...mail.to].sort()).toEqual(['bcc@example.com', 'cc@example.com', 'to@example.com']);
    for (const header of [
      ...['From: Shop <shop@example.com>', 'To: To <to@example.com>', 'Cc: Cc <cc@example.com>', 'X-Order: 7'],
      ...['Reply-To: Reply <reply@example.com>', 'Subject: Your order', 'In-Reply-To: <1@example.com>'],
    ]) {
      expect(mail.headers).toContain(header);
    }
    expect(mail.headers.join('\n')).not.toMatch(/^(bcc|X-Gone):/im);
    expect(mail.body).toContain('filename=renamed.txt');
    expect(mail.body).toContain(Buffer.from('the order').toString('base64').replace(/=+$/, ''));
    expect(mail.body).toContain('Content-Type: text/calendar');
    expect(mail.body).toContain('Thank you.');
  });

  it('stays filled until the next begins, and what was added can be taken away', async () => {
    await js(
      BEGIN,
      ['mailAddTo', 'one@example.com'],
      ['mailSend'],
      ['mailClearTo'],
      ['mailAddTo', 'two@example.com'],
      ['mailAddCc', 'x@example.com'],
      ['mailClearCc'],
      ['mailAddBcc', 'x@example.com'],
      ['mailClearBcc'],
      ['mailAddReplyTo', 'x@example.com'],
      ['mailClearReplyTo'],
      ['mailSetBounceAddress', 'x@example.com'],
      ['mailClearBounceAddress'],
      ['mailAddHeader', 'X-Order', '1'],
      ['mailClearHeaders'],
      ['mailSetInReplyTo', '<x@example.com>'],
      ['mailClearInReplyTo'],
      ['mailAddMimePart', 'x@example.com', 'text/calendar'],
      ['mailClearMimeParts'],
      ['mailClearAttachments'],
      ['mailSetFrom', 'other@example.com', 'Other'],
      ['mailSetSubject', 'Second'],
      ['mailSetHtmlContent', '<i>second</i>'],
      ['mailSetTextContent', 'second'],
      ['mailSend'],
    );
    expect(mails.mails.map(({ from, to }) => [from, to])).toEqual([
      ['shop@example.com', ['one@example.com']],
      ['other@example.com', ['two@example.com']],
    ]);
    const [first, then] = mails.mails as [ReceivedMail, ReceivedMail];
    expect(first.headers).toContain('Subject: Your order');
    expect(then.headers).toContain('Subject: Second');
    expect(then.body).toContain('<i>second</i>');
    expect(`${then.headers.join('\n')}${then.body}`).not.toMatch(/x@example\.com|X-Order/);
  });

  it('is that of the request alone', async () => {
    await js(BEGIN, ['mailAddTo', 'one@example.com']);
    const [sent, error] = await js(['mailSend'], ['mailGetError']);
    expect(sent).toBe('');
    expect(error).toContain('no sender');
    expect(mails.mails).toHaveLength(0);
  });

  it('by an expression', async () => {
    const answer = await admin.post('/exMail', { to: 'ex@example.com' });
    expect(answer.body.result).toMatch(ID);
    expect(only().body).toContain('by expression');
  });

  it('that fails answers an empty text, and why', async () => {
    const lacking: [Call[], string][] = [
      [[['mailBegin', 'a@example.com', 'A', 'Subject', '', 'Text']], 'no receiver'],
      [
        [
          ['mailBegin', 'a@example.com', 'A', 'Subject'],
          ['mailAddTo', 'b@example.com'],
        ],
        'no content',
      ],
      [
        [
          ['mailBegin', 'a@example.com'],
          ['mailAddTo', 'b@example.com'],
        ],
        'no subject',
      ],
      [[BEGIN, ['mailAddTo', 'nobody']], 'cannot be used'],
    ];
    for (const [calls, why] of lacking) {
      const results = await js(...calls, ['mailSend'], ['mailHasError'], ['mailGetError']);
      expect(results.slice(-3)).toEqual(['', true, expect.stringContaining(why)]);
    }
    mails.refusals.push(451);
    const results = await js(
      BEGIN,
      ['mailAddTo', 'b@example.com'],
      ['mailSend'],
      ['mailGetError'],
      ['mailSend'],
      ['mailHasError'],
    );
    expect(results[2]).toBe('');
    expect(results[3]).toContain('451');
    expect(results[4]).toMatch(ID);
    expect(results[5]).toBe(false);
  });

  it('is kept as an object when that is asked for', async () => {
    await js(
      ['mailSaveOutgoingMessage', true],
      BEGIN,
      ['mailAddTo', 'b@example.com', 'Bob'],
      ['mailAddTo', 'c@example.com'],
      ['mailAddHeader', 'X-Order', '7'],
      ['mailSend'],
    );
    const { body } = await admin.get('/EMailMessage/ui');
    expect(body.result_count).toBe(1);
    expect(body.result[0]).toMatchObject({
      subject: 'Your order',
      from: 'Shop <shop@example.com>',
      fromMail: 'shop@example.com',
      to: 'Bob <b@example.com>, c@example.com',
      content: 'Thank you.',
      htmlContent: '<p>Thank you.</p>',
      header: 'X-Order: 7',
    });
    expect(body.result[0].messageId).toMatch(ID);
    const results = await js(
      ['mailSaveOutgoingMessage', true],
      BEGIN,
      ['mailAddTo', 'b@example.com'],
      ['mailSend'],
      ['mailGetLastOutgoingMessage'],
    );
    expect(results[4]).toMatchObject({ type: 'EMailMessage' });
  });
});

describe('what would become headers or parts of its own', () => {
  it('is refused', async () => {
    const evil = 'a\r\nBcc: evil@example.com';
    const calls: Call[] = [
      ['sendPlaintextMail', 'a@example.com', evil, 'b@example.com', '', 's', 't'],
      ['sendPlaintextMail', 'a@example.com', '', `b@example.com\r\nBcc: e@example.com`, '', 's', 't'],
      ['sendPlaintextMail', 'a@example.com', '', 'b@example.com', '', evil, 't'],
      ['mailBegin', 'a@example.com', evil],
      ['mailSetFrom', `x@example.com\nBcc: e@example.com`],
      ['mailSetSubject', evil],
      ['mailAddTo', 'b@example.com', evil],
      ['mailAddReplyTo', evil],
      ['mailSetBounceAddress', evil],
      ['mailSetInReplyTo', evil],
      ['mailAddHeader', 'X-One', evil],
      ['mailAddHeader', 'X-One\r\nBcc', 'e@example.com'],
      ['mailAddHeader', 'X-One: x', 'e@example.com'],
      ['mailAddHeader', 'Bcc', 'e@example.com'],
      ['mailAddHeader', 'Content-Type', 'text/html'],
      ['mailAddMimePart', 'x', evil],
    ];
    for (const call of calls) expect((await raw(BEGIN, call)).status, JSON.stringify(call)).toBe(422);
    const id = await uploaded(admin, file('x.txt', 'x'));
    expect((await raw(BEGIN, ['mailAddAttachment', { file: id }, evil])).status).toBe(422);
    expect(mails.mails).toHaveLength(0);
  });

  it('what is no file, and files that are evaluated, cannot be attached', async () => {
    expect(await refused(BEGIN, ['mailAddAttachment', 'text'])).toContain('type File');
    const id = await uploaded(admin, file('t.txt', '${me.id}'));
    await admin.patch(`/File/${id}`, { isTemplate: true });
    expect(await refused(BEGIN, ['mailAddAttachment', { file: id }])).toContain('evaluated');
  });
});

describe('servers', () => {
  const send: Call[] = [BEGIN, ['mailAddTo', 'b@example.com'], ['mailSend'], ['mailGetError']];

  it('of other settings, each of which falls back', async () => {
    await js(['mailSelectConfig', 'Letters'], ...send);
    expect([mails.mails.length, second.mails.length]).toEqual([0, 1]);
    await js(['mailSelectConfig', 'letters'], ['mailSelectConfig', NULL], ...send);
    expect([mails.mails.length, second.mails.length]).toEqual([1, 1]);
    await js(['mailSelectConfig', 'unknown'], ...send);
    expect(mails.mails.length).toBe(2);
    expect((await js(['mailSelectConfig', 'bad'], ...send)).at(-1)).toContain('bad.smtp.port is no port');
    expect((await js(['mailSelectConfig', 'strict'], ...send)).at(-1)).toContain('certificate');
  });

  it('of the script come first, until they are reset', async () => {
    const manual: Call = ['mailSetManualConfig', '127.0.0.1', second.port, '', '', true, false];
    await js(manual, ['mailSelectConfig', 'unknown'], ...send);
    expect(second.mails.length).toBe(1);
    await js(manual, ['mailResetManualConfig'], ...send);
    expect(mails.mails.length).toBe(1);
    expect((await js(['mailSetManualConfig', '127.0.0.1', second.port], ...send)).at(-1)).toContain('certificate');
    expect((await js(['mailSetManualConfig', '127.0.0.1', 70_000]))[0]).toMatch(/^Usage: mailSetManualConfig/);
  });

  it('of the script must not have addresses that calls may not reach; that of the settings may', async () => {
    await server.reload({ 'application.httphelper.blockedaddresses': 'private' });
    for (const host of ['127.0.0.1', 'localhost', '::ffff:127.0.0.1', '2130706433']) {
      const answers = await js(['mailSetManualConfig', host, second.port, '', '', true, false], ...send);
      expect(answers.at(-1), host).toContain('not permitted');
    }
    expect(second.mails).toHaveLength(0);
    await js(...send);
    expect(mails.mails).toHaveLength(1);
    await server.reload({ 'application.httphelper.blockedaddresses': '192.0.2.0/24' });
    await js(['mailSetManualConfig', 'localhost', second.port, '', '', true, false], ...send);
    expect(second.mails).toHaveLength(1);
    await server.reload({ 'application.httphelper.blockedaddresses': '' });
  });

  it('with smtp.testing.only nothing is sent', async () => {
    await server.reload({ 'smtp.testing.only': true });
    expect((await js(...send))[2]).toBe('Testing');
    expect(await js(['sendPlaintextMail', 'a@example.com', '', 'b@example.com', '', 's', 't'])).toEqual(['Testing']);
    expect(mails.mails).toHaveLength(0);
    await server.reload({ 'smtp.testing.only': false });
  });
});

describe('text in headers', () => {
  it('is encoded and decoded', async () => {
    const [encoded, decoded] = await js(
      ['mailEncodeText', 'Grüße'],
      ['mailDecodeText', '=?ISO-8859-1?Q?Gr=FC=DFe?= and =?utf-8?b?8J+YgA==?='],
    );
    expect(encoded).toBe('=?UTF-8?Q?Gr=C3=BC=C3=9Fe?=');
    expect(decoded).toBe('Grüße and 😀');
    expect(encodeWords('plain (text)')).toBe('plain (text)');
    expect(decodeWords('=?unknown-8?Q?x?= =?UTF-8?Q?broken')).toBe('=?unknown-8?Q?x?= =?UTF-8?Q?broken');
  });

  it('of any length and script comes back, in words of at most 75 characters', () => {
    for (const text of [
      'ü',
      'Ä'.repeat(500),
      '😀'.repeat(300),
      `${'word '.repeat(50)}é`,
      '日本語のテキスト'.repeat(20),
    ]) {
      const encoded = encodeWords(text);
      expect(encoded.split(' ').every((word) => word.length <= 75)).toBe(true);
      expect(encoded).toMatch(/^[\x20-\x7e]+$/);
      expect(decodeWords(encoded)).toBe(text);
    }
  });
});
