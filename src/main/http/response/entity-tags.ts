/** Tags that tell one state of what is sent from another (RFC 9110, 8.8.3). */

/** Those of a list in a header. */
export function entityTags(list: string): string[] {
  return list.match(/(?:W\/)?"[^"]*"/g) ?? [];
}

/** Whether the client has this state already. `noneMatch`: its header `If-None-Match`. */
export function hasState(noneMatch: string, etag: string): boolean {
  // Weak comparison: the same content compressed on its way is the same.
  return noneMatch.trim() === '*' || entityTags(noneMatch).some((tag) => tag.replace(/^W\//, '') === etag);
}
