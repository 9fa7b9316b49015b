/** The verified e-mail address of who has logged in at a provider. */
import * as openid from 'openid-client';
import type { JsonObject } from '../../../shared/json/index.js';
import type { Proof, Provider } from './providers.js';
import { OAuthRefusal } from './refusal.js';

type Tokens = openid.TokenEndpointResponse & openid.TokenEndpointResponseHelpers;
type Claims = Readonly<Record<string, unknown>>;

/** Asks the provider. Throws `OAuthRefusal` when it names no address, or one that it does not call verified. */
export async function verifiedAddress(
  provider: Provider,
  client: openid.Configuration,
  tokens: Tokens,
): Promise<string> {
  const { proof } = provider;
  if (proof === 'github') return githubAddress(provider, client, tokens.access_token);
  const idToken = tokens.claims();
  const info =
    idToken === undefined
      ? await get(client, tokens.access_token, provider.userInfo)
      : await openid.fetchUserInfo(client, tokens.access_token, idToken.sub);
  // The ID token is signed, so it goes first; the address and what says that it is verified come from one document.
  const claims = [idToken, info].find(
    (one) => isObject(one) && typeof one['email'] === 'string' && one['email'] !== '',
  );
  if (!isObject(claims) || typeof claims['email'] !== 'string') throw new OAuthRefusal('the provider names no address');
  if (!isVerified(claims, proof)) throw new OAuthRefusal('the provider does not call the address verified');
  return claims['email'];
}

/** What the provider knows of who has logged in, with the claims of an access token that has some; these are not verified. */
export async function userInfo(provider: Provider, client: openid.Configuration, tokens: Tokens): Promise<JsonObject> {
  const { access_token: accessToken } = tokens;
  const idToken = tokens.claims();
  const info =
    idToken === undefined
      ? await get(client, accessToken, provider.userInfo)
      : await openid.fetchUserInfo(client, accessToken, idToken.sub);
  const claims = claimsIn(accessToken);
  return {
    ...(isObject(info) ? (info as JsonObject) : {}),
    ...(claims === undefined ? {} : { accessTokenClaims: claims }),
  };
}

/** Undefined: the token is no JSON Web Token. */
function claimsIn(token: string): JsonObject | undefined {
  const [, body, signature, ...more] = token.split('.');
  if (body === undefined || signature === undefined || more.length > 0) return undefined;
  try {
    const parsed: unknown = JSON.parse(Buffer.from(body, 'base64url').toString('utf8'));
    return isObject(parsed) ? (parsed as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

function isVerified(claims: Claims, proof: Exclude<Proof, 'github'>): boolean {
  if (proof === 'always') return true;
  if (proof === 'email_verified') return claims['email_verified'] === true;
  // Sent as 1 or as text by some versions of the service.
  return [true, 1, '1', 'true'].some((yes) => claims['xms_edov'] === yes);
}

/** The profile shows an address that the user chose to publish; only the list says what is verified. */
async function githubAddress(provider: Provider, client: openid.Configuration, accessToken: string): Promise<string> {
  const list = await get(client, accessToken, `${provider.userInfo.replace(/\/+$/, '')}/emails`);
  const primary: unknown = Array.isArray(list)
    ? list.find((one) => isObject(one) && one['primary'] === true && one['verified'] === true)
    : undefined;
  if (isObject(primary) && typeof primary['email'] === 'string') return primary['email'];
  throw new OAuthRefusal('the provider names no address that is primary and verified');
}

async function get(client: openid.Configuration, accessToken: string, url: string): Promise<unknown> {
  const headers = new Headers({ Accept: 'application/json' });
  const response = await openid.fetchProtectedResource(client, accessToken, new URL(url), 'GET', null, headers);
  if (response.status !== 200) throw new OAuthRefusal(`user information answered ${String(response.status)}`);
  return response.json();
}

function isObject(value: unknown): value is Claims {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
