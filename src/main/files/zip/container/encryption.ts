/**
 * Encryption of files within ZIP archives: the standard one (APPNOTE.TXT 6.1), which every program reads and which keeps nobody
 * out for long, and AES with 256 bits (WinZip's AE-2). Names and sizes stay visible with both.
 */
import { createCipheriv, createHmac, pbkdf2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';

export interface ZipEncryption {
  readonly kind: 'standard' | 'aes';
  readonly password: string;
}

/** Encrypts one file, its bytes in order. */
export interface Sealer {
  /** What stands before its bytes. */
  readonly head: Buffer;
  seal(bytes: Uint8Array): Buffer;
  /** What stands behind them; to be called once. */
  end(): Buffer;
}

/** Bytes that a file grows by. */
export const OVERHEAD = { standard: 12, aes: 16 + 2 + 10 } as const;

/** Begins a file. `check`: the byte by which readers of the standard encryption tell a wrong password at once. */
export function sealer({ kind, password }: ZipEncryption, check: number): Promise<Sealer> {
  return kind === 'aes' ? AesSealer.with(password) : Promise.resolve(new StandardSealer(password, check));
}

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

class StandardSealer implements Sealer {
  readonly head: Buffer;
  #a = 0x12345678;
  #b = 0x23456789;
  #c = 0x34567890;

  constructor(password: string, check: number) {
    for (const byte of Buffer.from(password)) this.#next(byte);
    this.head = this.seal(Buffer.concat([randomBytes(OVERHEAD.standard - 1), Buffer.of(check)]));
  }

  seal(bytes: Uint8Array): Buffer {
    const sealed = Buffer.allocUnsafe(bytes.length);
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i] ?? 0;
      const mask = (this.#c | 2) & 0xffff;
      sealed[i] = byte ^ (Math.imul(mask, mask ^ 1) >>> 8);
      this.#next(byte);
    }
    return sealed;
  }

  end(): Buffer {
    return Buffer.alloc(0);
  }

  #next(byte: number): void {
    this.#a = (TABLE[(this.#a ^ byte) & 0xff] ?? 0) ^ (this.#a >>> 8);
    this.#b = (Math.imul(this.#b + (this.#a & 0xff), 134775813) + 1) | 0;
    this.#c = (TABLE[(this.#c ^ (this.#b >>> 24)) & 0xff] ?? 0) ^ (this.#c >>> 8);
  }
}

const BLOCK = 16;
/** Blocks whose keys are computed together. */
const BLOCKS = 2048;
const KEY = 32;
const SALT = 16;
const VERIFIER = 2;
const ROUNDS = 1000;
const TAG = 10;

class AesSealer implements Sealer {
  readonly #cipher;
  readonly #hmac;
  #mask: Buffer = Buffer.alloc(0);
  #used = 0;
  /** Blocks are counted from 1, the lowest byte first, which no mode of OpenSSL does. */
  #block = 1n;

  private constructor(
    readonly head: Buffer,
    key: Buffer,
    authentication: Buffer,
  ) {
    this.#cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false);
    this.#hmac = createHmac('sha1', authentication);
  }

  static async with(password: string): Promise<AesSealer> {
    const salt = randomBytes(SALT);
    const keys = await promisify(pbkdf2)(password, salt, ROUNDS, 2 * KEY + VERIFIER, 'sha1');
    const head = Buffer.concat([salt, keys.subarray(2 * KEY)]);
    return new AesSealer(head, keys.subarray(0, KEY), keys.subarray(KEY, 2 * KEY));
  }

  seal(bytes: Uint8Array): Buffer {
    const sealed = Buffer.allocUnsafe(bytes.length);
    for (let i = 0; i < bytes.length; i++) {
      if (this.#used === this.#mask.length) this.#more();
      sealed[i] = (bytes[i] ?? 0) ^ (this.#mask[this.#used++] ?? 0);
    }
    this.#hmac.update(sealed);
    return sealed;
  }

  end(): Buffer {
    return this.#hmac.digest().subarray(0, TAG);
  }

  #more(): void {
    const counters = Buffer.alloc(BLOCKS * BLOCK);
    for (let at = 0; at < counters.length; at += BLOCK) counters.writeBigUInt64LE(this.#block++, at);
    this.#mask = this.#cipher.update(counters);
    this.#used = 0;
  }
}
