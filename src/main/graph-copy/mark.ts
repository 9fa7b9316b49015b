/** How far a copy is: kept in the target and written with each batch, so that the two never disagree. */
import { BULK_KINDS, type BulkKind } from '../graph/index.js';
import { Checksum, type SavedChecksum } from './checksum.js';

const VERSION = 1;

export class Mark {
  /** Kind being copied; undefined: all is copied, but not verified yet. */
  kind: BulkKind | undefined = 'nodes';
  /** Where reading goes on. */
  cursor: string | undefined;
  /** The first position that is free behind what was copied. */
  next = 0;
  readonly checksums: Record<BulkKind, Checksum> = { nodes: new Checksum(), relationships: new Checksum() };

  /** `source`: its name for people. */
  constructor(
    readonly source: string,
    readonly identity: string,
    readonly revision: string,
  ) {}

  /** Goes on to the next kind. */
  nextKind(): void {
    this.kind = this.kind === undefined ? undefined : BULK_KINDS[BULK_KINDS.indexOf(this.kind) + 1];
    this.cursor = undefined;
  }

  get copied(): number {
    return this.checksums.nodes.count + this.checksums.relationships.count;
  }

  toText(): string {
    const { source, identity, revision, kind, cursor, next } = this;
    const checksums = { nodes: this.checksums.nodes.save(), relationships: this.checksums.relationships.save() };
    return JSON.stringify({ version: VERSION, source, identity, revision, kind, cursor, next, checksums });
  }

  /** Undefined: written by another version of this program. */
  static parse(text: string): Mark | undefined {
    const saved = JSON.parse(text) as {
      readonly version: number;
      readonly source: string;
      readonly identity: string;
      readonly revision: string;
      readonly kind?: BulkKind;
      readonly cursor?: string;
      readonly next: number;
      readonly checksums: Record<BulkKind, SavedChecksum>;
    };
    if (saved.version !== VERSION) return undefined;
    const mark = new Mark(saved.source, saved.identity, saved.revision);
    mark.kind = saved.kind;
    mark.cursor = saved.cursor;
    mark.next = saved.next;
    for (const kind of BULK_KINDS) mark.checksums[kind] = new Checksum(saved.checksums[kind]);
    return mark;
  }
}
