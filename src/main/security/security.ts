/** The room's parts put together: who asks, and what they may do. */
import type { Config } from '../config/index.js';
import type { Graph } from '../graph/index.js';
import type { Cluster } from '../cluster/index.js';
import { logger } from '../../shared/log.js';
import type { SchemaService, WriteOptions } from '../schema/index.js';
import { Authentication } from './authentication.js';
import { CookieGuard, type TrustsOrigin } from './cookie-guard.js';
import { Login } from './login.js';
import { OAuth } from './oauth/index.js';
import { ObjectAccessRules } from './object-access.js';
import { PasswordCheck } from './password-check.js';
import { Principals } from './principals.js';
import { ResourceAccess } from './resource-access.js';
import { SchemaGrants } from './schema-grants.js';
import { Sessions } from './sessions.js';
import { Tokens } from './tokens.js';

const log = logger('security');
const SWEEP_INTERVAL = 300_000;

export interface SecurityParts {
  readonly config: Config;
  readonly graph: Graph;
  readonly schemas: SchemaService;
  /** Settings of writing transactions as they are now. */
  readonly write: () => WriteOptions;
  /** Whether pages of another origin may use cookies on a path; absent: none may. */
  readonly trustsOrigin?: TrustsOrigin;
}

export class Security {
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
  ) {}

  static async start({ config, graph, schemas, write, trustsOrigin }: SecurityParts): Promise<Security> {
    const principals = new Principals(graph, schemas);
    const passwords = new PasswordCheck(graph, principals, {
      maxFailedAttempts: () => config.get('security.passwordpolicy.maxfailedattempts'),
      maxAge: () =>
        config.get('security.passwordpolicy.forcechange') ? config.get('security.passwordpolicy.maxage') : undefined,
      extraKeys: () => loginKeys(config.get('security.authentication.propertykeys')),
    });
    const login = new Login(passwords, {
      superuserName: () => config.get('superuser.username'),
      beforeConfirmation: () => config.get('registration.allowloginbeforeconfirmation'),
    });
    const sessions = new Sessions(graph, schemas, principals, {
      timeout: () => config.get('application.session.timeout'),
      maxAge: () => config.get('application.session.maxage'),
      maxNumber: () => config.get('application.session.max.number'),
      write,
    });
    const tokens = new Tokens(graph, principals, config);
    await tokens.warn();
    const cookies = new CookieGuard({
      baseUrl: () => config.get('application.baseurl.override'),
      trustsOrigin: trustsOrigin ?? (() => false),
    });
    const authentication = new Authentication(principals, sessions, passwords, tokens, cookies, {
      superuserName: () => config.get('superuser.username'),
      superuserPassword: () => config.get('superuser.password'),
      cacheSeconds: config.get('security.credentialcache.seconds'),
    });
    const objectAccess = new ObjectAccessRules(
      schemas,
      new SchemaGrants(graph),
      config.get('application.security.resolution.depth'),
    );
    const resourceAccess = await ResourceAccess.start(graph, schemas, principals, objectAccess);
    if (config.get('application.session.clear.onstartup')) {
      const count = await sessions.clear();
      log.info(`ended ${String(count)} sessions: application.session.clear.onstartup`);
    }
    const oauth = new OAuth({ config, graph, schemas, principals, sessions, write });
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
    );
  }

  /** Removes what has timed out, on the instance that coordinates. */
  keepTidy(cluster: Cluster): void {
    cluster.onCoordinator((signal) => {
      const timer = setInterval(() => {
        this.sessions.sweep().catch((error: unknown) => {
          log.warn('sessions that have timed out could not be deleted', error);
        });
        this.oauth.sweep().catch((error: unknown) => {
          log.warn('logins with other providers that were not finished could not be deleted', error);
        });
      }, SWEEP_INTERVAL);
      timer.unref();
      signal.addEventListener('abort', () => {
        clearInterval(timer);
      });
    });
  }

  /** Before the graph is closed. */
  async stop(): Promise<void> {
    if (this.config.get('application.session.clear.onshutdown')) await this.sessions.clear();
  }
}

/** `<Type>.<key>`, separated by blanks: keys that identify a user beside name and e-mail address. */
function loginKeys(setting: string): string[] {
  return setting
    .split(/[\s,]+/)
    .filter((one) => one !== '')
    .map((one) => one.slice(one.lastIndexOf('.') + 1));
}
