/**
 * Files at their virtual path and by UUID (contract, Upload 3; files.md 4). What is in memory is answered without waiting:
 * a promise is made only where something has to be read.
 */
import { HttpError, type Exchange, type Handler } from '../http/index.js';
import type { Actor, ObjectAccess } from '../schema/index.js';
import { asksForPassword, knownByPassword } from './basic-auth.js';
import { deliveryOf } from './callbacks.js';
import { acceptedCodings, beside, mayHaveBeside } from './coding.js';
import type { FilesContext } from './context.js';
import { stateOf } from './file-state.js';
import { decodedPath, locate, locateNow, mayRead, mayReadNow, pathsOf, type Located } from './locate.js';
import { send, type Sender } from './send.js';
import { isEvaluated, sendEvaluated, wantsSource } from './templates.js';
import { isZip, sendZip } from './zip/serve-zip.js';

const METHODS = 'GET,HEAD,OPTIONS';

interface Server extends Sender {
  readonly context: FilesContext;
}

/** Handler of all paths that belong to no other room. */
export function createServe(context: FilesContext): Handler {
  const { config, contents, small, sendError } = context;
  const server: Server = { context, contents, small, gzip: config.get('httpservice.gzip.enabled') };
  return (exchange) => {
    try {
      const running = serve(server, exchange);
      return running?.catch((error: unknown) => {
        sendError(exchange, error);
      });
    } catch (error) {
      sendError(exchange, error);
    }
  };
}

function serve(server: Server, exchange: Exchange): void | Promise<void> {
  const { method } = exchange;
  if (method === 'OPTIONS') {
    exchange.setHeader('Allow', METHODS);
    exchange.end();
    return;
  }
  // A form may be sent to a file: it is answered like any other request for it.
  if (method !== 'GET' && method !== 'HEAD' && method !== 'POST') {
    throw new HttpError(405, `${method} not allowed on files`, { Allow: METHODS });
  }
  const path = decodedPath(exchange.path);
  if (path === undefined) throw nothingAt(exchange.path);
  const actor = server.context.security.authentication.authenticate(exchange);
  return actor instanceof Promise
    ? actor.then((known) => serveTo(server, exchange, path, known))
    : serveTo(server, exchange, path, actor);
}

function serveTo(server: Server, exchange: Exchange, path: string, actor: Actor): void | Promise<void> {
  const access = server.context.security.objectAccess.of(actor);
  if (access instanceof Promise) return access.then((rules) => find(server, exchange, path, actor, rules));
  if (isZip(exchange)) return find(server, exchange, path, actor, access);
  const located = locateNow(server.context, pathsOf(path, exchange.query));
  if (located === null) throw nothingAt(path);
  const known =
    located !== undefined &&
    mayReadNow(access, located) === true &&
    !(actor.id === undefined && asksForPassword(server.context, located.file));
  return known ? answer(server, exchange, located, actor, access) : find(server, exchange, path, actor, access);
}

/** The same where the graph has to be asked. */
async function find(
  server: Server,
  exchange: Exchange,
  path: string,
  actor: Actor,
  access: ObjectAccess,
): Promise<void> {
  const { context } = server;
  if (isZip(exchange) && (await sendZip(context, exchange, path, actor, access))) return;
  const found = await context.graph.read(async (tx) => {
    for (const located of await locate(context, tx, pathsOf(path, exchange.query))) {
      if (actor.id === undefined && asksForPassword(context, located.file)) return { located, asks: true };
      if (await mayRead(tx, access, located)) return { located, asks: false };
    }
    return undefined;
  });
  if (found === undefined) throw nothingAt(path);
  const { located, asks } = found;
  const reader = asks ? await knownByPassword(context, exchange, located) : { actor, access };
  await answer(server, exchange, located, reader.actor, reader.access);
}

function nothingAt(path: string): HttpError {
  return new HttpError(404, `There is no file at ${path}.`);
}

function answer(
  server: Server,
  exchange: Exchange,
  located: Located,
  actor: Actor,
  access: ObjectAccess,
): void | Promise<void> {
  const { callbacks, config } = server.context;
  const telling = callbacks.current?.delivering(located.file, { actor, access });
  if (telling === undefined) return deliver(server, exchange, located, actor, access);
  return telling.then(async (tell) => {
    await deliver(server, exchange, located, actor, access);
    const delivery = deliveryOf(exchange, actor, config.get('application.legacy.requestparameters.enabled'));
    if (delivery !== undefined) await tell(delivery);
  });
}

function deliver(
  server: Server,
  exchange: Exchange,
  located: Located,
  actor: Actor,
  access: ObjectAccess,
): void | Promise<void> {
  if (!isEvaluated(located.file)) return answerStored(server, exchange, located, access);
  const reader = { actor, access };
  return wantsSource(server.context, exchange, located.file, reader).then((raw) =>
    raw
      ? answerStored(server, exchange, located, access)
      : sendEvaluated(server.context, exchange, located.file, reader),
  );
}

function answerStored(
  server: Server,
  exchange: Exchange,
  { file, path, chain }: Located,
  access: ObjectAccess,
): void | Promise<void> {
  const { context } = server;
  const state = stateOf(file);
  const accepted = acceptedCodings(exchange.header('accept-encoding'));
  // By its id a file is in no folder.
  const isAtPath = chain.length > 1 || path === `/${String(file.properties['name'])}`;
  if (!isAtPath || !mayHaveBeside(context, state, accepted)) return send(server, exchange, state);
  return context.graph
    .read((tx) => beside(context, tx, access, file, path, accepted))
    .then((stored) => send(server, exchange, stored ?? state));
}
