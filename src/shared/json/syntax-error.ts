/** Text that is no JSON, not even leniently read. */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError';
  constructor(
    message: string,
    /** From 1; 0 when the place is not known. */
    readonly line = 0,
    readonly column = 0,
  ) {
    super(line === 0 ? message : `${message} at line ${String(line)}, column ${String(column)}`);
  }
}
