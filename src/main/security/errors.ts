/** A request whose credentials are wrong, or that lacks a permission: 401 in both cases (contract, Errors 1, 2). */
export class AccessError extends Error {
  override readonly name = 'AccessError';
  constructor(
    message: string,
    readonly status: 401 | 403 | 429 | 503 = 401,
    /** Extra response headers, for example `Retry-After`. */
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}
