import { STATUS_CODES } from 'node:http';

/** A whole response for a request that the library could not make one of, in the form of the contract's errors. */
export function refusalText(status: number, message: string): string {
  const body = JSON.stringify({ code: status, message, errors: [] });
  return [
    `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${String(body.length)}`,
    '',
    body,
  ].join('\r\n');
}
