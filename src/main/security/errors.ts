/** A request whose credentials are wrong, or that lacks a permission: 401 in both cases (contract, Errors 1, 2). */
export class AccessError extends Error {
  override readonly name = 'AccessError';
  constructor(
    message: string,
    readonly status: 401 | 403 | 503 = 401,
  ) {
    super(message);
  }
}
