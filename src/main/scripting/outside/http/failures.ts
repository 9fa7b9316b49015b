/** What went wrong between here and another server, in words for the script (docs/interface/script-runtime.md 5.1). */
import { FilesError } from '../../../files/index.js';
import { ScriptError } from '../../language/errors.js';
import { PackingError } from './answer-body.js';
import { shownUrl } from './targets.js';

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was broken',
  EPIPE: 'the connection was broken',
  ECONNABORTED: 'the connection was broken',
  ERR_STREAM_PREMATURE_CLOSE: 'the connection was broken',
  ENOTFOUND: 'there is no host of this name',
  EAI_AGAIN: 'the name of the host cannot be resolved now',
  ETIMEDOUT: 'the host does not answer',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the host cannot be reached',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is that of another host',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate signs itself',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate leads to one that signs itself',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'who signed its certificate is unknown',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'who signed its certificate is unknown',
  EPROTO: 'it does not speak TLS as this server does',
  UND_ERR_SOCKET: 'the connection was broken',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the connection was broken',
  UND_ERR_CONNECT_TIMEOUT: 'the host does not answer',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of its answer are too long',
  HPE_HEADER_OVERFLOW: 'the headers of its answer are too long',
};

/** The error that a script gets: names the URL, without credentials and query. */
export function failureOf(error: unknown, method: string, url: URL, signal: AbortSignal): ScriptError {
  const [status, reason] = reasonOf(signal.aborted ? signal.reason : error);
  return new ScriptError(status, `The ${method} request to ${shownUrl(url)} failed: ${reason}.`, [], { cause: error });
}

function reasonOf(error: unknown): [status: number, reason: string] {
  if (error instanceof ScriptError || error instanceof FilesError) {
    return [error.status, error.message.replace(/\.$/, '')];
  }
  if (error instanceof PackingError) return [422, error.message];
  // Of several addresses that were tried, the first says why.
  const one: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const code = one instanceof Error && 'code' in one && typeof one.code === 'string' ? one.code : '';
  const known = REASONS[code];
  if (known !== undefined) return [422, known];
  if (code.startsWith('HPE_') || (one instanceof Error && one.name === 'HTTPParserError'))
    return [422, 'its answer is not HTTP'];
  if (code !== '') return [422, code];
  return [422, one instanceof Error ? one.message : String(one)];
}
