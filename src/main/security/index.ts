export { AccessError } from './errors.js';
export { Authentication, type AuthenticationOptions } from './authentication.js';
export { Cors } from './cors.js';
export { checkEndpoint, objectAccess } from './resource-access.js';
export { ensureInitialUser } from './initial-user.js';
export { LoginLimiter } from './login-limiter.js';
