/** What somebody asked of the Configuration Interface that cannot be. The message is told. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  constructor(
    /** Of HTTP. */
    readonly status: number,
    message: string,
    /** The setting or field it is about. */
    readonly property?: string,
    readonly headers: Readonly<Record<string, string>> = {},
    /** What is wrong with it, for programs; absent: what the status says. */
    readonly token?: string,
  ) {
    super(message);
  }
}

/** A saved password goes to no other address than the one it was saved for. */
export function needsPassword(property: string): ConfigurationError {
  return new ConfigurationError(422, 'The address is another one: enter the password for it.', property);
}
