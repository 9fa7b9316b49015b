/** The http room: sockets, TLS, limits, streams, compression, cookies. */
export { ByteBudget, overBudget, type BudgetLimits, type ByteShare, type HttpBudgets } from './budget.js';
export { chooseTransport, TransportError, type ChosenTransport, type TransportSetting } from './choose-transport.js';
export { acceptsCoding, compressible } from './compression.js';
export { cookieLine, setCookie, type CookieDefaults, type CookieOptions, type SameSite } from './cookies.js';
export type { CertificateSource } from './tls/certificate.js';
export { CertificateError, HttpError, ListenError } from './errors.js';
export type { Exchange, Handler, ResponseStream } from './exchange.js';
export { parseHeaderList } from './header-list.js';
export { readMultipart, type FilePart, type MultipartLimits, type MultipartReader } from './request/multipart.js';
export { unescaped } from './percent.js';
export type { HttpPolicyOptions } from './policy.js';
export { checkHeader, PreparedHeaders } from './response/response-head.js';
export { RateLimiter, type RateLimits } from './rate-limiter.js';
export { targetOf } from './redirect-target.js';
export { forceHttps, type RedirectOptions } from './redirect.js';
export type { TlsOptions } from './tls/secure-port.js';
export { startHttpServer, type HttpServer, type HttpServerOptions, type TransportName } from './server.js';
export { HttpsSettingError, tlsCiphers } from './tls/tls-ciphers.js';
