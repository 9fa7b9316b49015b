/** The http room: sockets, limits, streams, compression. */
export { HttpError } from './errors.js';
export type { Exchange, Handler, ResponseStream } from './exchange.js';
export { ListenError, startHttpServer, type HttpServer, type HttpServerOptions } from './server.js';
