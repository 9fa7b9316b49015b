/** What a look through a mounted directory came to. */
export interface ScanCounts {
  entries: number;
  added: number;
  changed: number;
  removed: number;
}

/** Counts as the log has them. */
export function described({ entries, added, changed, removed }: ScanCounts): string {
  return `${String(entries)} entries, ${String(added)} new, ${String(changed)} changed, ${String(removed)} gone`;
}
