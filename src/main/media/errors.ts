/** What cannot be done with a content, or not now, told to who asked (docs/interface/media.md 1). */
export class MediaError extends Error {
  override readonly name = 'MediaError';
  constructor(
    /** Of HTTP. */
    readonly status: 400 | 401 | 403 | 404 | 413 | 422 | 501 | 503,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
