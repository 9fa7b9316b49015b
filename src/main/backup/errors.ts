/** A backup that cannot be made or restored; the message says why. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}
