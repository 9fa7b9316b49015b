const TARGET_LIMIT = 2000;
/** A host of no meaning, which a target is resolved against. */
const HERE = 'http://here.invalid';

/**
 * Path and query of a target, always on this host. A browser must not read the result as the name of another host: it
 * takes backslashes for slashes and leaves out tabs and line ends, as `URL` does, so what `URL` makes of it is what counts.
 */
export function targetOf(target: unknown): string {
  if (typeof target !== 'string' || target === '' || target.length > TARGET_LIMIT) return '/';
  try {
    const url = new URL(target, HERE);
    if (url.protocol !== 'http:' && url.protocol !== 'https:') return '/';
    // `http://here//there` and `/.//there` have paths that begin with two slashes.
    const path = url.pathname.replace(/^\/+/, '/') + url.search;
    const again = new URL(path, HERE);
    return again.origin === HERE && again.pathname + again.search === path ? path : '/';
  } catch {
    return '/';
  }
}
