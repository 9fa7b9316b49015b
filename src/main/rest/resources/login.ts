/** `/login` and `/logout`: sessions (security.md 3.2, 3.3). */
import type { JsonObject } from '../../../shared/json.js';
import { setCookie } from '../../http/index.js';
import type { GraphNode } from '../../graph/index.js';
import { AccessError, NOTICE_HEADER, SESSION_COOKIE } from '../../security/index.js';
import type { Resolver, RestRequest } from '../context.js';
import { sendEntities, sendNone } from '../envelope.js';
import { RestError } from '../errors.js';
import { read } from '../read.js';

export const resolveLogin: Resolver = (segments) => {
  if (segments.length !== 1 || segments[0] !== 'login') return undefined;
  return { signature: '_login', allow: ['OPTIONS', 'POST'], verbs: { POST: login } };
};

export const resolveLogout: Resolver = (segments) => {
  if (segments.length !== 1 || segments[0] !== 'logout') return undefined;
  return { signature: '_logout', allow: ['OPTIONS', 'POST'], verbs: { POST: logout } };
};

/** Checks the credentials of the body, begins a session and shows its user. */
async function login(request: RestRequest): Promise<void> {
  const { exchange } = request;
  const { security } = request.services;
  const user = await identify(request);
  noteDocumentedPassword(request, user.id);
  setCookie(exchange, SESSION_COOKIE, await security.sessions.begin(user.id));
  await read(request, async (tx) => {
    const node = await tx.node(user.id);
    if (node === undefined) throw new RestError(401, 'The user is gone');
    await sendEntities(request, tx, node, undefined);
  });
}

/** A login that needs its second step ends the one before (security.md 8): the next request is nobody's. */
async function identify(request: RestRequest): Promise<GraphNode> {
  const { exchange, services } = request;
  try {
    return await services.security.login.identify(inputOf(request), exchange.address);
  } catch (error) {
    const value = exchange.cookie(SESSION_COOKIE) ?? '';
    if (error instanceof AccessError && error.status === 202 && value !== '')
      await services.security.sessions.end(value);
    throw error;
  }
}

function noteDocumentedPassword({ exchange, services }: RestRequest, userId: string): void {
  const notice = services.security.documentedPassword.noticeFor(userId);
  if (notice !== undefined) exchange.setHeader(NOTICE_HEADER, notice);
}

/** Ends the session the request came with; nobody logged in is no error. */
async function logout(request: RestRequest): Promise<void> {
  const { exchange } = request;
  const value = exchange.cookie(SESSION_COOKIE) ?? exchange.header('x-svcsessiontoken');
  if (value !== '') await request.services.security.sessions.end(value);
  setCookie(exchange, SESSION_COOKIE, '', { maxAge: 0 });
  await sendNone(request);
}

function inputOf(request: RestRequest): JsonObject {
  return request.body.objects[0] ?? (Object.create(null) as JsonObject);
}
