/** The public keys of another issuer, fetched from it when they are needed (RFC 7517). */
import { createPublicKey, type JsonWebKey } from 'node:crypto';

const TIMEOUT = 5000;
/** A key that is not in the set makes it be fetched again at most so often (ms). */
const COOLDOWN = 30_000;
const MAX_AGE = 600_000;
/** After a failed fetch the next one waits so long (ms): tokens that are made up must not make us knock at every one. */
const AFTER_FAILURE = 5000;
const MAX_SIZE = 262_144;
/** Bits; shorter keys of RSA can be broken (RFC 7518, 3.3). */
const SHORTEST = 2048;

/** One key of a set, as far as it matters here. */
interface SetKey extends JsonWebKey {
  readonly kid?: unknown;
  readonly use?: unknown;
  readonly alg?: unknown;
  readonly key_ops?: unknown;
}

/** Keys for RS256 by their names; undefined: they cannot be used. */
type Keys = ReadonlyMap<string, string | undefined>;

export class KeySet {
  #keys: Keys | undefined;
  #fetchedAt = Number.NEGATIVE_INFINITY;
  #failedAt = Number.NEGATIVE_INFINITY;
  #fetching: Promise<Keys> | undefined;

  /** `failed` is told why keys could not be fetched. */
  constructor(
    private readonly url: URL,
    private readonly failed: (reason: string) => void,
  ) {}

  /**
   * The key of a name for RS256, in PEM form; undefined when the issuer has none that can be used. Throws when the keys cannot be
   * fetched.
   */
  async key(name: string): Promise<string | undefined> {
    const age = performance.now() - this.#fetchedAt;
    let keys = this.#keys;
    if (keys === undefined || age > MAX_AGE) keys = await this.#fetch();
    else if (!keys.has(name) && age > COOLDOWN) keys = await this.#fetch();
    return keys.get(name);
  }

  /** Fetches them once for all who wait. */
  #fetch(): Promise<Keys> {
    this.#fetching ??= this.#fetchNow().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #fetchNow(): Promise<Keys> {
    if (performance.now() - this.#failedAt < AFTER_FAILURE) throw new Error('failed a moment ago');
    try {
      this.#keys = keysOf(await fetched(this.url));
      this.#fetchedAt = performance.now();
      return this.#keys;
    } catch (error) {
      this.#failedAt = performance.now();
      this.failed(error instanceof Error ? error.message : 'unknown error');
      throw error;
    }
  }
}

/** Redirects are not followed: they could lead to a place nobody has configured. */
async function fetched(url: URL): Promise<readonly SetKey[]> {
  const response = await fetch(url, {
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT),
    headers: { accept: 'application/json, application/jwk-set+json' },
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`status ${String(response.status)}`);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += (chunk as Uint8Array).length;
    if (size > MAX_SIZE) throw new Error('the answer is too large');
    chunks.push(chunk as Uint8Array);
  }
  const parsed = JSON.parse(Buffer.concat(chunks).toString()) as { keys?: unknown } | null;
  if (!Array.isArray(parsed?.keys)) throw new Error('the answer is no key set');
  return parsed.keys as readonly SetKey[];
}

function keysOf(set: readonly SetKey[]): Keys {
  const keys = new Map<string, string | undefined>();
  for (const key of set) {
    if (typeof key !== 'object' || key === null || typeof key.kid !== 'string' || !isForSignatures(key)) continue;
    // Of two keys of one name none is known to be the right one.
    keys.set(key.kid, keys.has(key.kid) ? undefined : pemOf(key));
  }
  return keys;
}

/** Its purpose is not another one than checking signatures by RS256. */
function isForSignatures({ kty, use, alg, key_ops: operations }: SetKey): boolean {
  if (kty !== 'RSA') return false;
  if (use !== undefined && use !== 'sig') return false;
  if (alg !== undefined && alg !== 'RS256') return false;
  return operations === undefined || (Array.isArray(operations) && operations.includes('verify'));
}

function pemOf({ kty, n, e }: SetKey): string | undefined {
  try {
    const key = createPublicKey({ key: { kty, n, e } as JsonWebKey, format: 'jwk' });
    if ((key.asymmetricKeyDetails?.modulusLength ?? 0) < SHORTEST) return undefined;
    return key.export({ type: 'spki', format: 'pem' }).toString();
  } catch {
    return undefined;
  }
}
