/** A request whose credentials are wrong, or that lacks a permission: 401 in both cases (contract, Errors 1, 2). */
export class AccessError extends Error {
  override readonly name = 'AccessError';
  constructor(
    message: string,
    readonly status: 202 | 400 | 401 | 403 | 422 | 429 | 500 | 503 = 401,
    /** Response headers, for example `reason` or `Retry-After`. */
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}
