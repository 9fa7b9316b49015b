/** Keys that the service stores beside the declared ones: no input may name them. */

/** Stored beside the declared keys. A mark of what may run, not of what may not: texts from before it are not to be trusted. */
export const SCRIPTS_ALLOWED = 'scriptsAllowed';

/** Stored beside the declared keys: the address that was verified, so that it says nothing about another. */
export const VERIFIED_ADDRESS = 'verifiedEMail';

/** Keys of the service that no property declares. */
export const UNDECLARED: ReadonlySet<string> = new Set([
  'passwordResetKey',
  'twoFactorLastUsed',
  'sandboxed',
  SCRIPTS_ALLOWED,
  VERIFIED_ADDRESS,
]);
