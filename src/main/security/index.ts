export { AccessError } from './errors.js';
export { Cors } from './cors.js';
export { SESSION_COOKIE } from './authentication.js';
export { explainAccess } from './explain.js';
export { ensureInitialUser } from './initial-user.js';
export { NOTICE_HEADER } from './documented-password.js';
export type { Followed } from './registration.js';
export { Security, type SecurityParts } from './security.js';
export { LoginLimiter } from './login-limiter.js';
