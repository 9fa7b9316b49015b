/** What is asked of the analytics log, or written to it, is wrong. */
export class AnalyticsError extends Error {
  override readonly name = 'AnalyticsError';
  constructor(
    /** 400: what was given does not go together; 422: something of it cannot be used. */
    readonly status: 400 | 422,
    message: string,
  ) {
    super(message);
  }
}
