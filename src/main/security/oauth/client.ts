/** openid-client set up for a provider, with bounds on everything that comes back. */
import * as openid from 'openid-client';
import { withinTime } from '../../../shared/within-time.js';
import type { Provider } from './providers.js';

/** Larger answers of a provider are refused (bytes). */
const LARGEST = 262_144;
const SECOND = 1000;
/** Signatures with the client's secret, or none, are not among them. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/** Clients of providers, kept as long as the settings stay the same: they remember the keys of ID tokens. */
export class OpenIdClients {
  readonly #known = new Map<string, { readonly settings: string; readonly client: Promise<openid.Configuration> }>();

  /** The client for a provider. Rejects when metadata that are needed cannot be had. */
  of(provider: Provider): Promise<openid.Configuration> {
    const settings = JSON.stringify(provider);
    const known = this.#known.get(provider.id);
    if (known?.settings === settings) return known.client;
    const client = provider.discover === true ? discovered(provider) : Promise.resolve(configured(provider));
    this.#known.set(provider.id, { settings, client });
    // Asked again next time.
    client.catch(() => {
      if (this.#known.get(provider.id)?.client === client) this.#known.delete(provider.id);
    });
    return client;
  }
}

/** The client without asking the provider anything: enough to send a browser there. */
export function configured(provider: Provider): openid.Configuration {
  const server: openid.ServerMetadata = {
    issuer: provider.issuer,
    authorization_endpoint: provider.authorization,
    token_endpoint: provider.token,
    userinfo_endpoint: provider.userInfo,
    id_token_signing_alg_values_supported: ALGORITHMS,
    ...(provider.keys === undefined ? {} : { jwks_uri: provider.keys }),
  };
  const configuration = new openid.Configuration(server, provider.clientId, undefined, authOf(provider));
  configuration[openid.customFetch] = bounded(provider.timeout);
  configuration.timeout = provider.timeout / SECOND;
  if (provider.openid) openid.enableNonRepudiationChecks(configuration);
  // All URLs are the administrator's own: one of plain HTTP is there because he wrote it.
  const urls = [provider.authorization, provider.token, provider.userInfo, provider.keys ?? ''];
  if (urls.some((url) => url.startsWith('http://'))) openid.allowInsecureRequests(configuration);
  return configuration;
}

async function discovered(provider: Provider): Promise<openid.Configuration> {
  const options: openid.DiscoveryRequestOptions = {
    timeout: provider.timeout / SECOND,
    execute: [openid.enableNonRepudiationChecks],
    [openid.customFetch]: bounded(provider.timeout),
  };
  return openid.discovery(new URL(provider.issuer), provider.clientId, undefined, authOf(provider), options);
}

function authOf({ clientSecret }: Provider): openid.ClientAuth {
  return clientSecret === '' ? openid.None() : openid.ClientSecretPost(clientSecret);
}

/** `fetch` that follows no redirects, gives up in time also while the body arrives, and takes no large ones. */
function bounded(timeout: number): openid.CustomFetch {
  return (url, { method, headers, body, signal: given }) =>
    withinTime(timeout, given ?? undefined, async (signal) => {
      const response = await fetch(url, { method, headers, body: body ?? null, redirect: 'manual', signal });
      const chunks: Uint8Array[] = [];
      let size = 0;
      if (response.body !== null) {
        for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
          size += chunk.length;
          if (size > LARGEST) throw new Error(`the answer has more than ${String(LARGEST)} bytes`);
          chunks.push(chunk);
        }
      }
      const { status, headers: received } = response;
      return new Response(size === 0 ? null : Buffer.concat(chunks), { status, headers: received });
    });
}
