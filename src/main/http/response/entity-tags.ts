/** Tags that tell one state of what is sent from another (RFC 9110, 8.8.3). */

/** Those of a list in a header. */
export function entityTags(list: string): string[] {
  return list.match(/(?:W\/)?"[^"]*"/g) ?? [];
}

/** Whether a write may go on: its header `If-Match` is absent, names any state, or this one. `etag`: undefined where there is none to name. */
export function fitsState(match: string, etag: string | undefined): boolean {
  const condition = match.trim();
  if (condition === '' || condition === '*') return true;
  // A tag is marked as weak where the answer was compressed on its way; it names the same state.
  return etag !== undefined && entityTags(condition).some((tag) => tag.replace(/^W\//, '') === etag);
}

/** Whether the client has this state already. `noneMatch`: its header `If-None-Match`. */
export function hasState(noneMatch: string, etag: string): boolean {
  // Weak comparison: the same content compressed on its way is the same.
  return noneMatch.trim() === '*' || entityTags(noneMatch).some((tag) => tag.replace(/^W\//, '') === etag);
}
