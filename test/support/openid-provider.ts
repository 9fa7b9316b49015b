/** A real OpenID provider on a port of its own, with the paths of Keycloak or Auth0 and a login page without passwords. */
import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import Provider, { type Configuration } from 'oidc-provider';

export const CLIENT = { id: 'svc-test', secret: 'client-secret-of-the-tests-0123456789' } as const;

interface Account {
  readonly email?: string;
  readonly email_verified?: boolean;
}

const KEYCLOAK = '/realms/test/protocol/openid-connect';
const FLAVOURS = {
  keycloak: {
    issuer: '/realms/test',
    routes: {
      authorization: `${KEYCLOAK}/auth`,
      token: `${KEYCLOAK}/token`,
      userinfo: `${KEYCLOAK}/userinfo`,
      jwks: `${KEYCLOAK}/certs`,
    },
  },
  auth0: {
    issuer: '/',
    routes: { authorization: '/log-in', token: '/get-token', userinfo: '/who', jwks: '/.well-known/jwks.json' },
  },
} as const;

export class OpenIdProvider {
  /** By the name that is given on the login page. */
  readonly accounts = new Map<string, Account>();
  #handle: (req: IncomingMessage, res: ServerResponse) => Promise<void> = () => Promise.reject(new Error('not yet'));

  private constructor(
    private readonly server: Server,
    private readonly flavour: keyof typeof FLAVOURS,
  ) {
    server.on('request', (req, res) => {
      this.#handle(req, res).catch((error: unknown) => {
        res.writeHead(500).end(String(error));
      });
    });
  }

  static async start(flavour: keyof typeof FLAVOURS): Promise<OpenIdProvider> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new OpenIdProvider(server, flavour);
  }

  get url(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  /** Lets a client log in that is called back at this URL. */
  register(redirectUri: string): void {
    const { issuer, routes } = FLAVOURS[this.flavour];
    const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
    const configuration: Configuration = {
      clients: [
        {
          client_id: CLIENT.id,
          client_secret: CLIENT.secret,
          redirect_uris: [redirectUri],
          token_endpoint_auth_method: 'client_secret_post',
        },
      ],
      routes,
      jwks: { keys: [{ ...key, kty: 'RSA', use: 'sig', kid: 'one' }] },
      cookies: { keys: ['key of the tests'] },
      claims: { email: ['email', 'email_verified'], profile: ['name'] },
      pkce: { required: () => true },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_, { uid }) => `/interaction/${uid}` },
      findAccount: (_, id) => ({
        accountId: id,
        claims: () => Promise.resolve({ sub: id, name: 'anna', ...this.accounts.get(id) }),
      }),
      // Who logs in agrees.
      loadExistingGrant: async ({ oidc }) => {
        const grant = new oidc.provider.Grant({
          clientId: oidc.client?.clientId ?? '',
          accountId: oidc.session?.accountId ?? '',
        });
        grant.addOIDCScope('openid email profile');
        await grant.save();
        return grant;
      },
    };
    const provider = new Provider(`${this.url}${issuer}`, configuration);
    const standard = provider.callback();
    this.#handle = async (req, res) => {
      if (req.url?.startsWith('/interaction/') !== true) await standard(req, res);
      else if (req.method === 'POST') {
        const form = new URLSearchParams(await textOf(req));
        const account = form.get('account') ?? '';
        const result = form.has('deny') ? { error: 'access_denied' } : { login: { accountId: account } };
        await provider.interactionFinished(req, res, result, { mergeWithLastSubmission: false });
      } else {
        res.setHeader('Content-Type', 'text/html');
        res.end(
          `<form method="post" action="${req.url}"><input name="account"><button name="in">Log in</button>` +
            '<button name="deny">Deny</button></form>',
        );
      }
    };
  }

  stop(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) =>
      this.server.close(() => {
        resolve();
      }),
    );
  }
}
