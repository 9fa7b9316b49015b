/** Scripts in the mails of registrations and password resets (docs/interface/security.md 7.4, docs/interface/scripting.md 7.4). */
import { askerOf } from '../../request/index.js';
import { SchemaError, type Schema } from '../../schema/index.js';
import type { MailScripts } from '../../security/index.js';
import { escapeMarkup } from '../../../shared/escape-markup.js';
import { logger } from '../../../shared/log.js';
import type { ScriptContext } from '../run/run.js';
import { ScriptError } from '../language/errors.js';
import type { Expression } from '../language/expression/ast.js';
import { parseExpression } from '../language/expression/parser.js';
import { keywordNamed } from '../run/names/keywords.js';
import type { Runs } from './runs.js';
import { splitScripts } from '../language/split.js';
import { replaceScripts, TEXT, type TemplateForm } from './templates.js';
import { textOf } from '../language/text.js';

const log = logger('scripting.mail');

/** Mails of others wait meanwhile (ms). */
const LONGEST = 30_000;
/** Parts of a link of this many characters may be its key. */
const SECRET = 16;
const LOCALE = /^[a-z]{2,3}(?:_[A-Z]{2})?$/;

/** A script that fails must not keep the link from its user. */
const MAIL_TEXT: TemplateForm = { ...TEXT, skipsErrors: true };

/**
 * The same where the text around is markup. What ends with a value (`${name}`, `${first(me.groups).name}`) gives text, whoever
 * has written it; functions, methods and JavaScript may give markup, and get what was posted escaped.
 */
const MAIL_HTML: TemplateForm = {
  ...MAIL_TEXT,
  result(value, context, source) {
    const text = textOf(value, context);
    const items = source.startsWith('{') ? [] : parseExpression(source).items;
    return items.every((item) => mayBeMarkup(item, context)) ? text : escapeMarkup(text);
  },
};

/** Whether the author of the template has made the result of an expression, and not whoever wrote the value that it names. */
function mayBeMarkup(item: Expression, context: ScriptContext): boolean {
  switch (item.kind) {
    case 'call':
    case 'method':
    case 'literal':
      return true;
    case 'group':
      return item.items.every((one) => mayBeMarkup(one, context));
    case 'path': {
      const [name = '', ...others] = item.parts;
      // Constants are escaped already.
      return others.length === 0 && item.otherwise === undefined && context.constants.has(name);
    }
    case 'member':
    case 'index':
      return false;
  }
}

/**
 * The texts of a mail, with the rights of the user who gets it. Scripts run once, and must not keep the link from its user: what
 * fails is logged, and leaves nothing in its place; what was made before the whole fails is answered all the same. Throws only as
 * long as no script has run.
 */
export async function evaluateMail(
  scripting: Pick<Runs, 'parts' | 'inTransaction'>,
  mail: MailScripts,
  longest = LONGEST,
): Promise<readonly string[]> {
  const { userId, title, locale, texts } = mail;
  const { security } = scripting.parts;
  const user = await security.principals.get(userId);
  if (user === undefined) throw new Error(`the user ${userId} of a mail is gone`);
  const caller = await askerOf(security, user.actor);
  const { schema } = scripting.parts.schemas;
  const constants = [false, true].map((isHtml) => constantsOf(mail, isHtml, schema));
  const [plain = new Map<string, string>(), html = plain] = constants;
  const signal = AbortSignal.timeout(longest);
  const made: string[] = [];
  let hasRun = false;
  try {
    await scripting.inTransaction(
      title,
      caller,
      async (context) => {
        hasRun = true;
        // Of an attempt before.
        made.length = 0;
        for (const { text, isHtml } of texts) {
          const form = { ...(isHtml ? MAIL_HTML : MAIL_TEXT), isOver: () => signal.aborted };
          const result = await replaceScripts(text, { ...context, constants: isHtml ? html : plain }, form);
          // Nobody waits any more.
          if (signal.aborted) return;
          made.push(result);
        }
      },
      { signal, ...(locale !== undefined && LOCALE.test(locale) ? { locale } : {}) },
    );
  } catch (error) {
    if (!hasRun) throw error;
    log.warn(`${title}: what its scripts wrote is taken back, the mail is sent: ${withoutSecrets(error, mail)}`);
  }
  return texts.map(({ text, isHtml }, i) => made[i] ?? withGaps(text, isHtml ? html : plain));
}

/** What went wrong, in a line that gives nobody the link. */
function withoutSecrets(error: unknown, { values }: MailScripts): string {
  const tokens = error instanceof ScriptError || error instanceof SchemaError ? error.tokens : [];
  const said = tokens.map(({ type = '', property = '', token }) => `${type}.${property} ${token}`);
  const message = [error instanceof Error ? error.message : String(error), ...said].join('; ');
  const link = values.get('link') ?? '';
  const secrets = [link, ...link.slice(link.indexOf('?') + 1).split(/[&=]/)].filter((one) => one.length >= SECRET);
  return secrets.reduce((text, one) => text.replaceAll(one, '...'), message);
}

/** A text whose scripts came to no end: names have their values. */
function withGaps(text: string, constants: ReadonlyMap<string, string>): string {
  return splitScripts(text)
    .map((piece) => (piece.kind === 'script' ? (constants.get(piece.source.trim()) ?? '') : piece.text))
    .join('');
}

/** What was posted hides nothing that scripts of a template rely on: `${baseUrl}` stays what it is. */
function constantsOf({ values }: MailScripts, isHtml: boolean, schema: Schema): Map<string, string> {
  const constants = new Map<string, string>();
  for (const [name, value] of values) {
    const isOurs = name === 'link' || name === 'eMail';
    if (!isOurs && (keywordNamed(name) !== undefined || schema.type(name) !== undefined)) continue;
    constants.set(name, isHtml ? escapeMarkup(value) : value);
  }
  return constants;
}
