/** `/login`, `/logout` and `/token`: sessions and tokens (docs/interface/security.md 3.1, 3.2, 6.1). */
import type { JsonObject } from '../../../../shared/json/index.js';
import { SMALL_BODY } from '../../request/body.js';
import type { Resolver, RestRequest, Verb } from '../../context.js';
import { beginSession, endLogin, grantTokens } from '../../login/credentials.js';
import { sendEntities, sendNone, sendValue } from '../../answer/envelope.js';
import { RestError } from '../../errors.js';
import { read } from '../../read.js';

/** A path that takes a POST. */
function resolveTo(path: string, post: (request: RestRequest) => Promise<void>): Resolver {
  const verbs: { readonly [verb in Verb]?: typeof post } = { POST: post };
  return (segments) =>
    segments.length === 1 && segments[0] === path
      ? { signature: `_${path}`, allow: ['OPTIONS', 'POST'], bodyLimit: SMALL_BODY, verbs }
      : undefined;
}

export const resolveLogin = resolveTo('login', (request) => login(request));
export const resolveLogout = resolveTo('logout', logout);
export const resolveToken = resolveTo('token', token);

/** Checks the credentials of the body, or those that were found elsewhere, begins a session and shows its user. */
export async function login(request: RestRequest, input = inputOf(request)): Promise<void> {
  const user = await beginSession(request.exchange, request.services.security, input);
  await read(request, async (tx) => {
    const node = await tx.node(user.id);
    if (node === undefined) throw new RestError(401, 'The user is gone');
    await sendEntities(request, tx, node, undefined);
  });
}

/** Ends the session the request came with, and all tokens of its user; nobody logged in is no error. */
export async function logout(request: RestRequest): Promise<void> {
  await endLogin(request.exchange, request.services.security, request.actor);
  await sendNone(request);
}

/** Issues a pair of tokens for credentials or for a refresh token. */
async function token(request: RestRequest): Promise<void> {
  const pair = await grantTokens(request.exchange, request.services.security, inputOf(request));
  const result = {
    access_token: pair.accessToken,
    refresh_token: pair.refreshToken,
    expiration_date: String(pair.expires),
    token_type: 'Bearer',
  };
  await sendValue(request, result, 1);
}

function inputOf(request: RestRequest): JsonObject {
  return request.body.objects[0] ?? (Object.create(null) as JsonObject);
}
