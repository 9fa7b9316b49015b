/** Reads both databases whole and compares them, type by type. */
import { BULK_KINDS, type BulkKind, type BulkReader } from '../graph/index.js';
import { Checksum } from './checksum.js';

/** Differences named at most. */
const MAX_NAMED = 5;

/** Checksums by type, of one kind. */
type Checksums = Map<string, Checksum>;

/** Checksums of all entities of a database. `step` is told of each batch; what it throws ends the reading. */
export async function checksumsOf(
  reader: BulkReader,
  step: (count: number) => void,
): Promise<Record<BulkKind, Checksums>> {
  const found: Record<BulkKind, Checksums> = { nodes: new Map(), relationships: new Map() };
  for (const kind of BULK_KINDS) {
    const byType = found[kind];
    for await (const { items } of reader.read(kind)) {
      for (const item of items) {
        const { type } = item.entity;
        let checksum = byType.get(type);
        if (checksum === undefined) byType.set(type, (checksum = new Checksum()));
        checksum.add(item);
      }
      step(items.length);
    }
  }
  return found;
}

/** What differs, in words; undefined: nothing. */
export function difference(
  source: Record<BulkKind, Checksums>,
  target: Record<BulkKind, Checksums>,
): string | undefined {
  const lines: string[] = [];
  for (const kind of BULK_KINDS) {
    for (const type of new Set([...source[kind].keys(), ...target[kind].keys()])) {
      const [a, b] = [source[kind].get(type) ?? new Checksum(), target[kind].get(type) ?? new Checksum()];
      if (a.equals(b)) continue;
      const counts = `${String(a.count)} in the source and ${String(b.count)} in the target`;
      lines.push(`${kind} of type ${type}: ${a.count === b.count ? 'other contents' : counts}`);
    }
  }
  if (lines.length <= MAX_NAMED) return lines.length === 0 ? undefined : lines.join('; ');
  return `${lines.slice(0, MAX_NAMED).join('; ')}; and ${String(lines.length - MAX_NAMED)} more types`;
}
