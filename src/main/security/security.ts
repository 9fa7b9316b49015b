/** The room's parts put together: who asks, and what they may do. */
import type { Config } from '../config/index.js';
import type { Exchange } from '../http/index.js';
import type { ChangeKind, Graph } from '../graph/index.js';
import type { Cluster } from '../cluster/index.js';
import { logger } from '../../shared/log.js';
import type { SchemaService, WriteOptions } from '../schema/index.js';
import { Mailer, MailTemplates } from '../mail/index.js';
import { Authentication, type PasswordsElsewhere } from './authentication.js';
import { CookieGuard, type TrustsOrigin } from './cross-site/cookie-guard.js';
import { DocumentedLogin } from './passwords/documented-login.js';
import { DocumentedPassword } from './passwords/documented-password.js';
import { Login } from './login/login.js';
import type { LoginListenerPlace } from './login/login-events.js';
import { LoginLimiter } from './login/login-limiter.js';
import { OAuth } from './oauth/index.js';
import { ObjectAccessRules } from './access/object-access.js';
import { PasswordCheck } from './passwords/password-check.js';
import { Principals } from './principals.js';
import { Registration, type RegistrationOptions } from './registration/registration.js';
import { RegistrationMails } from './registration/registration-mails.js';
import { ResourceAccess } from './access/resource-access.js';
import { isGrant, SchemaGrants } from './access/schema-grants.js';
import { Sessions, type SessionUse } from './login/sessions.js';
import { Tokens } from './tokens/tokens.js';
import { TwoFactor, type TwoFactorOptions } from './two-factor/two-factor.js';

const log = logger('security');
const SWEEP_INTERVAL = 300_000;
/** Settings by which a password may be not enough for a login. */
const HALVES = [
  'registration.allowloginbeforeconfirmation',
  'initialuser.documentedpassword.anywhere',
  'security.authentication.header.singlefactor',
  'security.twofactorauthentication.level',
  'security.twofactorauthentication.whitelistedips',
] as const;

export interface SecurityParts {
  readonly config: Config;
  readonly graph: Graph;
  readonly schemas: SchemaService;
  /** Settings of writing transactions as they are now. */
  readonly write: () => WriteOptions;
  /** Whether pages of another origin may use cookies on a path; absent: none may. */
  readonly trustsOrigin?: TrustsOrigin;
  /** Whether pages of another origin may read answers at a path (CORS rules); absent: none may. */
  readonly acceptsOrigin?: TrustsOrigin;
  /** What another thread does for this one, which does not write; absent: this one does all. */
  readonly elsewhere?: SecurityElsewhere;
}

/** The thread that writes, as a front-end thread asks it (docs/design/threads.md). */
export interface SecurityElsewhere extends PasswordsElsewhere {
  touched(session: SessionUse): void;
}

export class Security {
  #cluster: Cluster | undefined;

  private constructor(
    private readonly config: Config,
    readonly principals: Principals,
    readonly login: Login,
    readonly sessions: Sessions,
    readonly tokens: Tokens,
    readonly cookies: CookieGuard,
    readonly authentication: Authentication,
    readonly resourceAccess: ResourceAccess,
    readonly objectAccess: ObjectAccessRules,
    readonly oauth: OAuth,
    readonly documentedPassword: DocumentedPassword,
    readonly registration: Registration,
    private readonly mailer: Mailer,
    private readonly own: { url: string },
    /** Attempts per client address, for every endpoint that strangers can guess or mail with. */
    readonly loginLimiter: LoginLimiter,
    /** Its listener is set when the rooms are put together. */
    readonly events: LoginListenerPlace,
    /** Runs the scripts of its mails when the rooms are put together. */
    readonly mails: RegistrationMails,
    private readonly acceptsOrigin: TrustsOrigin,
  ) {}

  static async start({
    config,
    graph,
    schemas,
    write,
    trustsOrigin,
    acceptsOrigin = () => false,
    elsewhere,
  }: SecurityParts): Promise<Security> {
    const principals = new Principals(graph, schemas);
    const twoFactor = new TwoFactor(graph, principals, twoFactorOptions(config));
    const documentedLogin = new DocumentedLogin(config);
    const passwords = new PasswordCheck(graph, principals, {
      documented: documentedLogin,
      maxFailedAttempts: () => config.get('security.passwordpolicy.maxfailedattempts'),
      maxAge: () =>
        config.get('security.passwordpolicy.forcechange') ? config.get('security.passwordpolicy.maxage') : undefined,
      hasSecondFactor: (user) => twoFactor.concerns(user),
      extraKeys: () => loginKeys(config.get('security.authentication.propertykeys')),
    });
    const login = new Login(passwords, twoFactor, {
      superuserName: () => config.get('superuser.username'),
      beforeConfirmation: () => config.get('registration.allowloginbeforeconfirmation'),
      passwordAlone: () => config.get('security.authentication.header.singlefactor'),
    });
    const events: LoginListenerPlace = { listener: undefined };
    const sessions = new Sessions(graph, schemas, principals, {
      timeout: () => config.get('application.session.timeout'),
      maxAge: () => config.get('application.session.maxage'),
      maxNumber: () => config.get('application.session.max.number'),
      write,
      events,
      ...(elsewhere === undefined
        ? {}
        : {
            touched: (session: SessionUse) => {
              elsewhere.touched(session);
            },
          }),
    });
    const tokens = new Tokens(graph, principals, config, events);
    if (elsewhere === undefined) await tokens.warn();
    const cookies = new CookieGuard({
      baseUrl: () => config.get('application.baseurl.override'),
      trustsOrigin: trustsOrigin ?? (() => false),
    });
    const limiter = new LoginLimiter(config);
    const authentication = new Authentication(principals, sessions, passwords, tokens, cookies, limiter, {
      superuserName: () => config.get('superuser.username'),
      superuserPassword: () => config.get('superuser.password'),
      cacheSeconds: config.get('security.credentialcache.seconds'),
      headerPasswords: () => config.get('security.authentication.header.enabled'),
      refuseHalf: (user, address) => {
        login.refuseHalf(user, address);
      },
      isExempt: (asking) => twoFactor.isExempt(asking),
      documented: documentedLogin,
      elsewhere,
    });
    // Told by the users, or kept by the very actor, who is another when he has changed.
    graph.caches.add({ name: 'security.credentials', dependsOn: ['security.principals', 'settings'] });
    graph.caches.add({ name: 'security.rules', dependsOn: ['security.principals', 'security.grants', 'schema'] });
    for (const name of HALVES)
      config.onChange(name, () => {
        authentication.forgetPasswords();
      });
    const objectAccess = new ObjectAccessRules(
      schemas,
      new SchemaGrants(graph),
      config.get('application.security.resolution.depth'),
    );
    const resourceAccess = await ResourceAccess.start(graph, schemas, principals, objectAccess);
    const oauth = new OAuth({
      config,
      graph,
      schemas,
      principals,
      sessions,
      tokens,
      events,
      write,
      limiter,
      isLocked: (user) => passwords.isLocked(user),
    });
    const documented = await DocumentedPassword.check(graph, principals, config.get('initialuser.name'));
    if (elsewhere === undefined) documented.warn();
    const own = { url: 'http://localhost' };
    const mailer = new Mailer(config);
    const mails = new RegistrationMails(mailer, new MailTemplates(graph, schemas), {
      baseUrl: () => config.get('application.baseurl.override') || own.url,
      smtpUser: () => config.get('smtp.user'),
    });
    return new Security(
      config,
      principals,
      login,
      sessions,
      tokens,
      cookies,
      authentication,
      resourceAccess,
      objectAccess,
      oauth,
      documented,
      new Registration(graph, schemas, principals, mails, registrationOptions(config, write, twoFactor)),
      mailer,
      own,
      limiter,
      events,
      mails,
      acceptsOrigin,
    );
  }

  /**
   * Whether a browser asks in advance what a page of another origin may do (a CORS preflight) and the CORS rules answer it. It
   * comes without credentials, so no permission could be asked for.
   */
  isPreflight(exchange: Exchange): boolean {
    const origin = exchange.header('origin');
    return (
      origin !== '' &&
      exchange.header('access-control-request-method') !== '' &&
      this.acceptsOrigin(origin, exchange.path)
    );
  }

  /**
   * Whether a page may open a WebSocket: one of this server may, others where they may read answers at its path (CORS rules). Browsers leave that to the server,
   * whatever the answer's headers say.
   */
  mayOpenSocket(exchange: Exchange): boolean {
    return !this.cookies.foreign(exchange) || this.acceptsOrigin(exchange.header('origin'), exchange.path);
  }

  /** Grows with whatever ends a login or changes a user: who was asked before may be another now. */
  get generation(): number {
    return this.principals.generation + this.sessions.generation;
  }

  /** Whether such a change may change what users may read, but for rights on the one object that it is of. */
  decidesRights(change: ChangeKind): boolean {
    return this.principals.decidesRights(change) || isGrant(change);
  }

  /**
   * Told where the server listens, for links in mails. They never begin with what a client calls the server: a stranger
   * could have the keys in them sent to his own.
   */
  listensOn(port: number, securePort: number | undefined): void {
    const host = this.config.get('application.host');
    const name = ['', '0.0.0.0', '::'].includes(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host;
    this.own.url =
      securePort === undefined ? `http://${name}:${String(port)}` : `https://${name}:${String(securePort)}`;
    if (this.config.get('jsonrestservlet.user.autocreate') && this.config.get('application.baseurl.override') === '')
      log.warn(`links in mails begin with ${this.own.url}: set application.baseurl.override`);
  }

  /** Ends what is to end at the start, and from then on what has timed out, on the instance that coordinates. */
  async keepTidy(cluster: Cluster): Promise<void> {
    this.#cluster = cluster;
    await this.#clearSessions('application.session.clear.onstartup');
    this.documentedPassword.remind(cluster);
    cluster.repeat(SWEEP_INTERVAL, 'sessions that have timed out could not be deleted', () => this.sessions.sweep());
    cluster.repeat(SWEEP_INTERVAL, 'logins with other providers that were not finished could not be deleted', () =>
      this.oauth.sweep(),
    );
  }

  /** Before the graph is closed. */
  async stop(): Promise<void> {
    await this.mailer.stop();
    await this.#clearSessions('application.session.clear.onshutdown');
  }

  /** Ends all sessions where the setting wants it, unless other instances live on the same database: theirs are in it, too. */
  async #clearSessions(setting: `application.session.clear.${'onstartup' | 'onshutdown'}`): Promise<void> {
    if (!this.config.get(setting)) return;
    const members = (await this.#cluster?.members()) ?? [];
    const others = members.filter(({ alive, self }) => alive && !self).map(({ name }) => name);
    if (others.length > 0) {
      log.warn(`sessions go on in spite of ${setting}: the database is shared with ${others.join(', ')}`);
      return;
    }
    log.info(`ended ${String(await this.sessions.clear())} sessions: ${setting}`);
  }
}

function registrationOptions(config: Config, write: () => WriteOptions, twoFactor: TwoFactor): RegistrationOptions {
  return {
    autoCreate: () => config.get('jsonrestservlet.user.autocreate'),
    userClass: () => config.get('registration.customuserclass'),
    attributes: () => config.get('registration.customuserattributes'),
    loginBeforeConfirmation: () => config.get('registration.allowloginbeforeconfirmation'),
    registrationValidity: () => config.get('confirmationkey.registration.validityperiod'),
    resetValidity: () => config.get('confirmationkey.passwordreset.validityperiod'),
    validWithoutTime: () => config.get('confirmationkey.validwithouttimestamp'),
    resetForgetsFailures: () => config.get('security.passwordpolicy.resetfailedattemptsonpasswordreset'),
    hasSecondFactor: (user) => twoFactor.concerns(user),
    write,
  };
}

function twoFactorOptions(config: Config): TwoFactorOptions {
  return {
    level: () => config.get('security.twofactorauthentication.level'),
    totp: () => ({
      issuer: config.get('security.twofactorauthentication.issuer'),
      algorithm: config.get('security.twofactorauthentication.algorithm'),
      digits: Number(config.get('security.twofactorauthentication.digits')),
      period: config.get('security.twofactorauthentication.period'),
    }),
    loginTimeout: () => config.get('security.twofactorauthentication.logintimeout'),
    loginPage: () => config.get('security.twofactorauthentication.loginpage'),
    exempt: () => config.get('security.twofactorauthentication.whitelistedips'),
    maxFailedAttempts: () => config.get('security.passwordpolicy.maxfailedattempts'),
  };
}

/** `<Type>.<key>`, separated by blanks: keys that identify a user beside name and e-mail address. */
function loginKeys(setting: string): string[] {
  return setting
    .split(/[\s,]+/)
    .filter((one) => one !== '')
    .map((one) => one.slice(one.lastIndexOf('.') + 1));
}
