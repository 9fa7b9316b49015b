/** Parts of a large diagram that hang together most, each small enough to be laid out well and at once. */

/** Two boxes with a line between them. */
export type Link = readonly [a: string, b: string];

/**
 * Splits boxes into parts of at most `most`: what is linked is joined, those first that few others are linked with, as what half of a schema is
 * linked with says little. The order is such that a part follows those that it is linked with most.
 */
export function clustersOf(
  ids: readonly string[],
  links: readonly Link[],
  most: number,
): readonly (readonly string[])[] {
  const next = new Map<string, Set<string>>(ids.map((id) => [id, new Set()]));
  for (const [a, b] of links) {
    if (a === b || !next.has(a) || !next.has(b)) continue;
    next.get(a)?.add(b);
    next.get(b)?.add(a);
  }
  const parts = new Map<string, string[]>(ids.map((id) => [id, [id]]));
  const weighed = links
    .filter(([a, b]) => a !== b && next.has(a) && next.has(b))
    .map(([a, b]) => [a, b, nearness(next.get(a) ?? new Set(), next.get(b) ?? new Set())] as const)
    .sort(([, , a], [, , b]) => b - a);
  for (const [a, b] of weighed) {
    const [one, other] = [parts.get(a) ?? [], parts.get(b) ?? []];
    if (one === other || one.length + other.length > most) continue;
    const [large, small] = one.length < other.length ? [other, one] : [one, other];
    for (const id of small) parts.set(id, large);
    large.push(...small);
  }
  return inOrder([...new Set(parts.values())], next);
}

/** How much two that are linked belong together: what both are linked with counts for it, all that either is linked with against it. */
function nearness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const id of a.size < b.size ? a : b) if ((a.size < b.size ? b : a).has(id)) shared++;
  return (1 + shared) / Math.sqrt(a.size * b.size);
}

function inOrder(
  parts: readonly (readonly string[])[],
  next: ReadonlyMap<string, ReadonlySet<string>>,
): readonly (readonly string[])[] {
  const left = new Set([...parts].sort((a, b) => b.length - a.length));
  const partOf = new Map(parts.flatMap((part) => part.map((id) => [id, part] as const)));
  const pull = new Map<readonly string[], number>();
  const ordered: (readonly string[])[] = [];
  while (left.size > 0) {
    let [chosen, most] = [undefined as readonly string[] | undefined, -1];
    for (const part of left) {
      const links = pull.get(part) ?? 0;
      if (links > most) [chosen, most] = [part, links];
    }
    if (chosen === undefined) break;
    left.delete(chosen);
    ordered.push(chosen);
    for (const id of chosen)
      for (const other of next.get(id) ?? []) {
        const part = partOf.get(other);
        if (part !== undefined && left.has(part)) pull.set(part, (pull.get(part) ?? 0) + 1);
      }
  }
  return ordered;
}
