/** Exit codes of the server (README, "When it does not start"). 4 is kept for dry runs of migrations (contract, Errors 4). */
export const EXIT = {
  ok: 0,
  failed: 1,
  configuration: 2,
  migrationDryRun: 4,
  portTaken: 10,
  notWritable: 11,
  databaseLocked: 12,
  databaseTooNew: 13,
  schema: 14,
  databaseUnavailable: 15,
  interrupted: 130,
} as const;
