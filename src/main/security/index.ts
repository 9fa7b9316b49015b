export { AccessError } from './errors.js';
export { SESSION_COOKIE } from './authentication.js';
export { explainAccess } from './explain.js';
export { ensureInitialUser } from './initial-user.js';
export type { TrustsOrigin } from './cookie-guard.js';
export { ACCESS_COOKIE, clearTokenCookies, REFRESH_COOKIE, setTokenCookies } from './token-cookies.js';
export type { TokenPair } from './tokens.js';
export { Security, type SecurityParts } from './security.js';
