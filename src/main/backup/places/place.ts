/** Where backups lie. A new kind is one file and one line in `index.ts`. Names are of this room: letters, digits, dots, slashes. */
export interface BackupPlace {
  /** For people, without secrets. */
  readonly name: string;
  /** Writes it whole, or not at all; durable when this resolves. */
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** Throws `BackupError` when it is not there. */
  get(name: string): Promise<Buffer>;
  /** Names that begin with `prefix`, which ends with a slash, and when they were written (milliseconds since 1970). */
  list(prefix: string): AsyncIterable<{ readonly name: string; readonly written: number }>;
  /** Nothing happens when it is not there. */
  remove(name: string): Promise<void>;
}
