/** Of a server with threads whose subjects are played. */
export const THREAD_SETTINGS = {
  'application.http.threads': 3,
  'security.jwt.secret': 'a-secret-of-more-than-32-characters-for-tests',
  // Passwords of before are tried on purpose, by several at once.
  'security.passwordpolicy.maxfailedattempts': 0,
};
