/** The http room: sockets, TLS, limits, streams, compression, cookies. */
export { AddressCounts } from './transport/address-counts.js';
export { ConnectionCount } from './transport/connection-count.js';
export { ProcessCounts, type CountsMemory } from './counts/process-counts.js';
export { ByteBudget, overBudget, type BudgetLimits, type ByteShare, type HttpBudgets } from './budget.js';
export {
  chooseTransport,
  sharingProblem,
  TransportError,
  type ChosenTransport,
  type TransportSetting,
} from './transport/choose-transport.js';
export { acceptsCoding, compressible } from './response/compression.js';
export { cookieLine, setCookie, type CookieOptions } from './cookies/cookies.js';
export type { SameSite, CookieDefaults } from './cookies/cookie-defaults.js';
export type { Certificate, CertificateSource } from './tls/certificate.js';
export { CertificateError, HttpError, ListenError } from './errors.js';
export { entityTags, fitsState, hasState } from './response/entity-tags.js';
export type { Exchange, Handler, MessageStream, ResponseStream } from './exchange.js';
export { KeptFiles, type KeptOptions } from './kept/kept-files.js';
export { openPageFiles } from './kept/page-files.js';
export { parseHeaderList } from './response/header-list.js';
export { bringsForm, sentFields, type SentFields } from './request/sent-form.js';
export { readMultipart, type FilePart, type MultipartLimits, type MultipartReader } from './request/multipart.js';
export { unescaped } from './percent.js';
export type { HttpPolicyOptions } from './policy.js';
export { checkHeader, PreparedHeaders } from './response/response-head.js';
export { RateLimiter, type RateLimits } from './rate-limiter.js';
export { targetOf } from './redirect/redirect-target.js';
export { forceHttps, type RedirectOptions } from './redirect/redirect.js';
export type { TlsOptions } from './tls/secure-port.js';
export { startHttpServer, type HttpServer, type HttpServerOptions, type TransportName } from './server.js';
export { HttpsSettingError, tlsCiphers } from './tls/tls-ciphers.js';
