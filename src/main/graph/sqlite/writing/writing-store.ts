/** The store of the thread that writes: what reads share, and what writes need besides. */
import type { Columns } from '../columns/columns.js';
import { AccessTable } from '../indexes/access-table.js';
import type { PropertyIndex } from '../indexes/property-index.js';
import type { TextIndexes } from '../indexes/text-indexes.js';
import type { Snapshots } from '../reading/snapshots.js';
import { Store } from '../reading/store.js';
import type { GroupCommit } from './group-commit.js';

export class WritingStore extends Store {
  /** The next rows get the numbers after these. */
  readonly lastRow = { node: 0, rel: 0 };
  readonly access: AccessTable;
  declare index: PropertyIndex;
  declare texts: TextIndexes;
  declare columns: Columns;
  declare commit: GroupCommit;
  declare snapshots: Snapshots;

  constructor(...parts: ConstructorParameters<typeof Store>) {
    super(...parts);
    this.access = new AccessTable(this.writer, this.names, (type, node) => {
      this.commit.wroteEntries(type, node);
    });
  }
}
