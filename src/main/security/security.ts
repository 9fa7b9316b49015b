/** The room's parts put together: who asks, and what they may do. */
import type { Config } from '../config/index.js';
import type { Graph } from '../graph/index.js';
import type { Cluster } from '../cluster/index.js';
import { logger } from '../../shared/log.js';
import type { SchemaService, WriteOptions } from '../schema/index.js';
import { Authentication } from './authentication.js';
import { DocumentedPassword } from './documented-password.js';
import { Login } from './login.js';
import { ObjectAccessRules } from './object-access.js';
import { PasswordCheck } from './password-check.js';
import { Principals } from './principals.js';
import { ResourceAccess } from './resource-access.js';
import { SchemaGrants } from './schema-grants.js';
import { Sessions } from './sessions.js';
import { TwoFactor, type TwoFactorOptions } from './two-factor.js';

const log = logger('security');
const SWEEP_INTERVAL = 300_000;

export interface SecurityParts {
  readonly config: Config;
  readonly graph: Graph;
  readonly schemas: SchemaService;
  /** Settings of writing transactions as they are now. */
  readonly write: () => WriteOptions;
}

export class Security {
  private constructor(
    private readonly config: Config,
    readonly principals: Principals,
    readonly login: Login,
    readonly sessions: Sessions,
    readonly authentication: Authentication,
    readonly resourceAccess: ResourceAccess,
    readonly objectAccess: ObjectAccessRules,
    readonly documentedPassword: DocumentedPassword,
  ) {}

  static async start({ config, graph, schemas, write }: SecurityParts): Promise<Security> {
    const principals = new Principals(graph, schemas);
    const twoFactor = new TwoFactor(graph, principals, twoFactorOptions(config));
    const passwords = new PasswordCheck(graph, principals, {
      maxFailedAttempts: () => config.get('security.passwordpolicy.maxfailedattempts'),
      maxAge: () =>
        config.get('security.passwordpolicy.forcechange') ? config.get('security.passwordpolicy.maxage') : undefined,
      hasSecondFactor: (user) => twoFactor.concerns(user),
      extraKeys: () => loginKeys(config.get('security.authentication.propertykeys')),
    });
    const login = new Login(passwords, twoFactor, {
      superuserName: () => config.get('superuser.username'),
      beforeConfirmation: () => config.get('registration.allowloginbeforeconfirmation'),
    });
    const sessions = new Sessions(graph, schemas, principals, {
      timeout: () => config.get('application.session.timeout'),
      maxAge: () => config.get('application.session.maxage'),
      maxNumber: () => config.get('application.session.max.number'),
      write,
    });
    const authentication = new Authentication(principals, sessions, passwords, {
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
    const documented = await DocumentedPassword.check(graph, principals, config.get('initialuser.name'));
    return new Security(config, principals, login, sessions, authentication, resourceAccess, objectAccess, documented);
  }

  /** Removes what has timed out, on the instance that coordinates. */
  keepTidy(cluster: Cluster): void {
    this.documentedPassword.remind(cluster);
    cluster.onCoordinator((signal) => {
      const timer = setInterval(() => {
        this.sessions.sweep().catch((error: unknown) => {
          log.warn('sessions that have timed out could not be deleted', error);
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
