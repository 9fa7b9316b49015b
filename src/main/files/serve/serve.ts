/**
 * Files at their virtual path and by UUID (contract, Upload 3; docs/interface/files.md 5). What is in memory is answered without waiting:
 * a promise is made only where something has to be read.
 */
import { bringsForm, HttpError, sentFields, type Exchange, type Handler } from '../../http/index.js';
import { Arrival, type RequestContext } from '../../request/index.js';
import { asksForPassword, knownByPassword } from './basic-auth.js';
import { deliveryOf } from '../callbacks.js';
import { acceptedCodings, beside, mayHaveBeside } from './coding.js';
import type { FilesContext } from '../context.js';
import { stateOf, type FileState } from './file-state.js';
import { decodedPath, locate, locateNow, mayRead, mayReadNow, pathsOf, type Located } from '../tree/locate.js';
import { send, type Sender } from './send.js';
import { isEvaluated, sendEvaluated, wantsSource } from './templates.js';
import { isZip, sendZip } from '../zip/serve-zip.js';

const METHODS = 'GET,HEAD,OPTIONS';
const ROOT = '/';
/** What is shown at the root. Other folders have no index page. */
const INDEX = '/index.html';

interface Server extends Sender {
  readonly context: FilesContext;
}

/** No permission is asked for: the rights on the file decide, and on the folders above it. */
class FileArrival extends Arrival {
  find(): undefined {
    return undefined;
  }

  signature(): undefined {
    return undefined;
  }
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
  const decoded = decodedPath(exchange.path);
  if (decoded === undefined) throw nothingAt(exchange.path);
  const path = decoded === ROOT && !isZip(exchange) ? INDEX : decoded;
  const entering = server.context.requests.enter(new FileArrival(exchange));
  return entering instanceof Promise
    ? entering.then((request) => serveKnown(server, request, path))
    : serveKnown(server, entering, path);
}

/** What goes wrong from here on may be shown by a page: it is known who asks. */
function serveKnown(server: Server, request: RequestContext, path: string): void | Promise<void> {
  const { failed } = server.context;
  try {
    return serveTo(server, request, path)?.catch((error: unknown) => failed(request, error));
  } catch (error) {
    return failed(request, error);
  }
}

function serveTo(server: Server, request: RequestContext, path: string): void | Promise<void> {
  const { exchange, actor, access, schema } = request;
  if (isZip(exchange)) return find(server, request, path);
  const located = locateNow(server.context, schema, pathsOf(path, exchange.query));
  if (located === null) return answerNothing(server, request, path);
  const known =
    located !== undefined &&
    mayReadNow(access, located) === true &&
    !(actor.id === undefined && asksForPassword(server.context, located.file));
  return known ? answer(server, request, located) : find(server, request, path);
}

/** The same where the graph has to be asked. */
async function find(server: Server, request: RequestContext, path: string): Promise<void> {
  const { context } = server;
  const { exchange, actor, access, schema } = request;
  if (isZip(exchange)) {
    // It may take hours.
    context.requests.standstill.leave(exchange);
    if (await sendZip(context, exchange, path, actor, access)) return;
  }
  const found = await context.requests.read(request, async (tx) => {
    for (const located of await locate(context, tx, schema, pathsOf(path, exchange.query))) {
      if (actor.id === undefined && asksForPassword(context, located.file)) return { located, asks: true };
      if (await mayRead(tx, access, located)) return { located, asks: false };
    }
    return undefined;
  });
  if (found === undefined) return answerNothing(server, request, path);
  const { located, asks } = found;
  await answer(server, asks ? await knownByPassword(context, request, located) : request, located);
}

/** What is no file may be somebody else's. Throws `HttpError` 404 when it is not. */
async function answerNothing({ context }: Server, request: RequestContext, path: string): Promise<void> {
  const asked = request.exchange.path === ROOT ? ROOT : path;
  if (isZip(request.exchange) || !(await context.otherwise(request, asked))) throw nothingAt(asked);
}

function nothingAt(path: string): HttpError {
  return new HttpError(404, `There is no file at ${path}.`);
}

function answer(server: Server, request: RequestContext, located: Located): void | Promise<void> {
  const { callbacks, config } = server.context;
  const { exchange, actor } = request;
  const telling = callbacks.current?.delivering(located.file, request);
  if (telling === undefined) return deliver(server, request, located);
  return telling.then(async (tell) => {
    await deliver(server, request, located);
    const delivery = deliveryOf(exchange, actor, config.get('application.legacy.requestparameters.enabled'));
    if (delivery !== undefined) await tell(delivery);
  });
}

function deliver(server: Server, request: RequestContext, located: Located): void | Promise<void> {
  const { context } = server;
  if (!isEvaluated(located.file)) return answerStored(server, request, located);
  return wantsSource(context, request.exchange, located.file, request).then((raw) =>
    raw ? answerStored(server, request, located) : answerEvaluated(context, request, located),
  );
}

/** A form is for the scripts of a template. What was decided before it came is decided again: its sender may have taken his time. */
async function answerEvaluated(context: FilesContext, entered: RequestContext, located: Located): Promise<void> {
  const { exchange } = entered;
  if (!bringsForm(exchange)) return sendEvaluated(context, exchange, located.file, entered);
  const form = await sentFields(exchange);
  const { requests } = context;
  const again = await requests.again(new FileArrival(exchange), { ...entered, target: undefined });
  const asks = again.actor.id === undefined && asksForPassword(context, located.file);
  const request = asks ? await knownByPassword(context, again, located) : again;
  const file = await requests.read(request, async (tx) => {
    const now = await tx.node(located.file.id);
    return now !== undefined && (await mayRead(tx, request.access, { ...located, file: now })) ? now : undefined;
  });
  if (file === undefined || !isEvaluated(file)) throw nothingAt(located.path);
  const { actor, access } = request;
  return sendEvaluated(context, exchange, file, { actor, access, form });
}

function answerStored(server: Server, request: RequestContext, { file, path, chain }: Located): void | Promise<void> {
  const { context } = server;
  const { exchange, access } = request;
  const state = stateOf(file);
  const accepted = acceptedCodings(exchange.header('accept-encoding'));
  // By its id a file is in no folder.
  const isAtPath = chain.length > 1 || path === `/${String(file.properties['name'])}`;
  const { requests } = context;
  const sendIt = (what: FileState): void | Promise<void> => {
    requests.standstill.leave(exchange);
    return send(server, exchange, what);
  };
  if (!isAtPath || !mayHaveBeside(context, state, accepted)) return sendIt(state);
  return requests
    .read(request, (tx) => beside(context, tx, access, file, path, accepted))
    .then((stored) => sendIt(stored ?? state));
}
