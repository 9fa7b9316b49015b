/** The http room: sockets, TLS, limits, streams, compression, cookies. */
export { setCookie, type CookieDefaults, type CookieOptions, type SameSite } from './cookies.js';
export { HttpError } from './errors.js';
export type { Exchange, Handler, ResponseStream } from './exchange.js';
export { parseHeaderList } from './header-list.js';
export type { HttpPolicyOptions } from './policy.js';
export { ListenError, startHttpServer, type HttpServer, type HttpServerOptions } from './server.js';
