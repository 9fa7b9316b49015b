/** What people who register or reset their password get by mail (security.md 6.2, 6.3). */
import { fillHtml, fillText, type MailDraft, type Mailer, type MailTemplates } from '../mail/index.js';

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
  /** Absent: a mail without link. */
  readonly key?: string;
  readonly locale: string | undefined;
  /** What was posted, for templates that name it. */
  readonly posted: ReadonlyMap<string, string>;
}

export class RegistrationMails {
  constructor(
    private readonly mailer: Mailer,
    private readonly templates: MailTemplates,
    private readonly options: RegistrationMailOptions,
  ) {}

  /** Lines a mail up; all work on it is done in the background. */
  send(mail: RegistrationMail): void {
    this.mailer.send(mail.kind, () => this.#make(mail));
  }

  async #make({ kind, to, key, locale, posted }: RegistrationMail): Promise<MailDraft> {
    const texts: Record<keyof (typeof DEFAULTS)[MailKind], string> = await this.templates.texts(
      kind,
      DEFAULTS[kind],
      locale,
    );
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
      subject: fillText(texts.SUBJECT, values),
      text: fillText(texts.TEXT_BODY, values),
      html: fillHtml(texts.HTML_BODY, values),
    };
  }
}
