/** A request that HTTP itself refuses: status and a message for the error body. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  constructor(
    readonly status: number,
    message: string,
    /** Extra response headers, for example `Allow` or `Retry-After`. */
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

/** The port is taken, or the address is not one of this machine. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
  readonly code = 'EADDRINUSE';
  constructor(
    readonly host: string,
    readonly port: number,
  ) {
    super(`Cannot listen on ${host}:${String(port)}: the port is in use or the address is not available`);
  }
}

/** The certificate or its key cannot be used. The message is one line and names the file. */
export class CertificateError extends Error {
  override readonly name = 'CertificateError';
}
