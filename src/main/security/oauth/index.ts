/** Logins with other providers, put together. */
import type { Config } from '../../config/index.js';
import type { Graph, GraphNode } from '../../graph/index.js';
import type { SchemaService, WriteOptions } from '../../schema/index.js';
import type { LoginLimiter } from '../login/login-limiter.js';
import type { LoginListenerPlace } from '../login/login-events.js';
import type { Principals } from '../principals.js';
import type { Sessions } from '../login/sessions.js';
import type { Tokens } from '../tokens/tokens.js';
import { Accounts } from './accounts.js';
import type { OAuthHandler } from './flow.js';
import { providerOf } from './providers.js';
import { OAuthStates } from './state.js';

export interface OAuthNeeds {
  readonly config: Config;
  readonly graph: Graph;
  readonly schemas: SchemaService;
  readonly principals: Principals;
  readonly sessions: Sessions;
  readonly tokens: Tokens;
  readonly events: LoginListenerPlace;
  readonly write: () => WriteOptions;
  /** Logins of an address are limited, whatever they are made with. */
  readonly limiter: LoginLimiter;
  /** Whether a user has failed too often to log in. */
  readonly isLocked: (user: GraphNode) => boolean;
}

export class OAuth {
  /** Answers `/oauth/<provider>/<action>`. */
  readonly handle: OAuthHandler;
  readonly #states: OAuthStates;
  readonly #config: Config;

  constructor({ config, graph, schemas, principals, sessions, tokens, events, write, limiter, isLocked }: OAuthNeeds) {
    this.#config = config;
    this.#states = new OAuthStates(graph, schemas, write);
    const accounts = new Accounts(schemas, principals, {
      autocreate: () => config.get('jsonrestservlet.user.autocreate'),
      userType: () => config.get('registration.customuserclass'),
      beforeConfirmation: () => config.get('registration.allowloginbeforeconfirmation'),
      write,
      isLocked,
    });
    let flow: Promise<OAuthHandler> | undefined;
    /** With the first login: the library is large, and many services know no other providers. */
    const load = async (): Promise<OAuthHandler> => {
      const [{ createOAuth }, { OpenIdClients }] = await Promise.all([import('./flow.js'), import('./client.js')]);
      const clients = new OpenIdClients();
      return createOAuth({ config, states: this.#states, clients, accounts, sessions, tokens, events, limiter });
    };
    this.handle = async (exchange, showErrorPage) => (await (flow ??= load()))(exchange, showErrorPage);
  }

  /** Whether users can log in with a provider: it is enabled and set up. */
  offers(name: string): boolean {
    return providerOf(name, this.#config) !== undefined;
  }

  /** Forgets logins that were never finished. For the coordinator, now and then. */
  sweep(): Promise<void> {
    return this.#states.sweep();
  }
}
