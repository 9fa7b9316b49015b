/** What people who register or reset their password get by mail (docs/interface/security.md 7.4). */
import {
  fillHtml,
  fillText,
  type MailDraft,
  type Mailer,
  type MailTemplates,
  type MailText,
} from '../../mail/index.js';

/** Prefix of the names of the templates. */
export type MailKind = 'CONFIRM_REGISTRATION' | 'EXISTING_REGISTRATION' | 'RESET_PASSWORD';

const COMMON = {
  SENDER_NAME: 'Svc Mail Daemon',
  SENDER_ADDRESS: '',
  BASE_URL: '',
  CONFIRMATION_KEY_KEY: 'key',
  TARGET_PAGE_KEY: 'target',
  ERROR_PAGE_KEY: 'onerror',
};

const DEFAULTS = {
  CONFIRM_REGISTRATION: {
    ...COMMON,
    SUBJECT: 'Please confirm your registration',
    TEXT_BODY: 'Follow this link to finish your registration:\n\n${link}\n\nIf it was not you, do nothing.\n',
    HTML_BODY:
      '<p>Follow this link to finish your registration:</p><p><a href="${link}">${link}</a></p><p>If it was not you, do nothing.</p>',
    PAGE: '/confirm_registration',
    TARGET_PAGE: '/register_thanks',
    ERROR_PAGE: '/register_error',
  },
  EXISTING_REGISTRATION: {
    ...COMMON,
    SUBJECT: 'You are registered already',
    TEXT_BODY:
      'Somebody asked for an account with this address, which has one. Log in with it, or have your password reset.\n\nIf it was not you, do nothing.\n',
    HTML_BODY:
      '<p>Somebody asked for an account with this address, which has one. Log in with it, or have your password reset.</p><p>If it was not you, do nothing.</p>',
    PAGE: '/',
    TARGET_PAGE: '/',
    ERROR_PAGE: '/',
  },
  RESET_PASSWORD: {
    ...COMMON,
    SUBJECT: 'Reset your password',
    TEXT_BODY: 'Follow this link to choose a new password:\n\n${link}\n\nIf it was not you, do nothing.\n',
    HTML_BODY:
      '<p>Follow this link to choose a new password:</p><p><a href="${link}">${link}</a></p><p>If it was not you, do nothing.</p>',
    PAGE: '/reset-password',
    TARGET_PAGE: '/reset-password',
    ERROR_PAGE: '/reset-password',
  },
} as const satisfies Record<MailKind, Record<string, string>>;

const DAEMON = 'svc-mail-daemon@localhost';

export interface RegistrationMailOptions {
  /** Base of links where no template has another one. Never what a client says: links carry keys. */
  readonly baseUrl: () => string;
  /** `smtp.user` */
  readonly smtpUser: () => string;
}

/** One mail to be made. */
export interface RegistrationMail {
  readonly kind: MailKind;
  readonly to: string;
  /** Whose address it is: scripts of the mail have his rights. */
  readonly userId: string;
  /** Absent: a mail without link. */
  readonly key?: string;
  readonly locale: string | undefined;
  /** What was posted, for templates that name it. */
  readonly posted: ReadonlyMap<string, string>;
}

/** The scripts of one mail, for the user who gets it. */
export interface MailScripts {
  readonly userId: string;
  /** `CONFIRM_REGISTRATION`, for messages. */
  readonly title: string;
  readonly locale: string | undefined;
  /** Names that the scripts may use. Strangers have chosen names and values: they are values and nothing else. */
  readonly values: ReadonlyMap<string, string>;
  readonly texts: readonly { readonly text: string; readonly isHtml: boolean }[];
}

/**
 * Replaces the scripts of texts by their results, in their order; the scripting room implements it. Rejects only as long as no
 * script has run: then the mail is tried again.
 */
export type EvaluateMail = (mail: MailScripts) => Promise<readonly string[]>;

export class RegistrationMails {
  /** Set when the rooms are put together. */
  evaluate: EvaluateMail | undefined;

  constructor(
    private readonly mailer: Mailer,
    private readonly templates: MailTemplates,
    private readonly options: RegistrationMailOptions,
  ) {}

  /** Lines a mail up; all work on it is done in the background. */
  send(mail: RegistrationMail): void {
    let made: Promise<MailDraft> | undefined;
    this.mailer.send(mail.kind, () => {
      // A mail that is tried again is the same one: its scripts have run.
      made ??= this.#make(mail);
      made.catch(() => (made = undefined));
      return made;
    });
  }

  async #make(mail: RegistrationMail): Promise<MailDraft> {
    const { kind, to, key, locale, posted } = mail;
    const found: Record<keyof (typeof DEFAULTS)[MailKind], MailText> = await this.templates.texts(
      kind,
      DEFAULTS[kind],
      locale,
    );
    const texts = Object.fromEntries(Object.entries(found).map(([name, { text }]) => [name, text])) as Record<
      keyof typeof found,
      string
    >;
    const values = new Map(posted).set('eMail', to).set('link', '');
    if (key !== undefined) {
      const query = [
        [texts.CONFIRMATION_KEY_KEY, key],
        [texts.TARGET_PAGE_KEY, texts.TARGET_PAGE],
        [texts.ERROR_PAGE_KEY, texts.ERROR_PAGE],
      ].map(([name = '', value = '']) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
      const base = texts.BASE_URL.trim() || this.options.baseUrl();
      values.set('link', `${base.replace(/\/+$/, '')}${texts.PAGE}?${query.join('&')}`);
    }
    const smtpUser = this.options.smtpUser().trim();
    return {
      to,
      senderName: texts.SENDER_NAME,
      senderAddress: texts.SENDER_ADDRESS.trim() || (smtpUser.includes('@') ? smtpUser : DAEMON),
      ...(await this.#contents(mail, [found.SUBJECT, found.TEXT_BODY, found.HTML_BODY], values)),
    };
  }

  async #contents(
    { kind, userId, locale }: RegistrationMail,
    [subject, text, html]: readonly [MailText, MailText, MailText],
    values: ReadonlyMap<string, string>,
  ): Promise<Pick<MailDraft, 'subject' | 'text' | 'html'>> {
    const made = new Map(
      [subject, text, html].map((one) => [one, (one === html ? fillHtml : fillText)(one.text, values)]),
    );
    const scripts = [...made.keys()].filter((one) => one.mayRun && one.text.includes('${'));
    if (scripts.length > 0 && this.evaluate !== undefined) {
      const texts = scripts.map((one) => ({ text: one.text, isHtml: one === html }));
      const results = await this.evaluate({ userId, title: kind, locale, values, texts });
      for (const [i, one] of scripts.entries()) made.set(one, results[i] ?? '');
    }
    return { subject: made.get(subject) ?? '', text: made.get(text) ?? '', html: made.get(html) ?? '' };
  }
}
