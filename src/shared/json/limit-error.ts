/** JSON that holds more than its reader was told to take; `what` says of which. */
export class JsonLimitError extends Error {
  override readonly name = 'JsonLimitError';
  constructor(
    readonly what: 'values' | 'objects',
    readonly limit: number,
  ) {
    super(`The text holds more than ${String(limit)} ${what}.`);
  }
}
