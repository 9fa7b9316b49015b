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
