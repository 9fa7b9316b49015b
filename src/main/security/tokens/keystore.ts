/** The RSA key pair of `security.jwt.keystore`, from a PKCS#12 or PEM file. */
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { open } from 'node:fs/promises';
import type forge from 'node-forge';

/** Both keys as PEM text. */
export interface KeyPair {
  readonly privateKey: string;
  readonly publicKey: string;
}

/** The file holds no key pair that can be used. The message holds neither password nor content. */
export class KeystoreError extends Error {
  override readonly name = 'KeystoreError';
}

const MAX_SIZE = 1_048_576;
const LEAST_BITS = 2048;
/** First bytes of the two formats that only Java reads. */
const JAVA_ONLY: ReadonlySet<string> = new Set(['feedfeed', 'cececece']);

/** Reads a key pair. `alias` chooses among several of a PKCS#12 file. Throws `KeystoreError`. */
export async function loadKeyPair(path: string, password: string, alias: string): Promise<KeyPair> {
  const bytes = await readSmall(path);
  if (JAVA_ONLY.has(bytes.subarray(0, 4).toString('hex'))) {
    throw new KeystoreError(
      'it is a Java keystore (JKS). Convert it: ' +
        'keytool -importkeystore -srckeystore OLD.jks -destkeystore NEW.p12 -deststoretype PKCS12',
    );
  }
  const key = bytes.includes('-----BEGIN ') ? fromPem(bytes, password) : await fromPkcs12(bytes, password, alias);
  if (key.asymmetricKeyType !== 'rsa') throw new KeystoreError('its key is no RSA key');
  if ((key.asymmetricKeyDetails?.modulusLength ?? 0) < LEAST_BITS)
    throw new KeystoreError(`its key has less than ${String(LEAST_BITS)} bits`);
  return {
    privateKey: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicKey: createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString(),
  };
}

async function readSmall(path: string): Promise<Buffer> {
  try {
    const file = await open(path);
    try {
      const { size } = await file.stat();
      if (size > MAX_SIZE) throw new KeystoreError('it is too large for a keystore');
      return await file.readFile();
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof KeystoreError) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw new KeystoreError(code === 'ENOENT' ? 'there is no such file' : `it cannot be read (${code})`);
  }
}

function fromPem(bytes: Buffer, password: string): KeyObject {
  try {
    return createPrivateKey({ key: bytes, format: 'pem', ...(password === '' ? {} : { passphrase: password }) });
  } catch {
    throw new KeystoreError('it holds no private key in PEM form, or the password is wrong');
  }
}

async function fromPkcs12(bytes: Buffer, password: string, alias: string): Promise<KeyObject> {
  // Loaded when it is needed: tokens are signed with a secret unless somebody says otherwise.
  const { default: forge } = await import('node-forge');
  let store: forge.pkcs12.Pkcs12Pfx;
  try {
    const der = forge.asn1.fromDer(forge.util.createBuffer(bytes.toString('latin1')));
    store = forge.pkcs12.pkcs12FromAsn1(der, password);
  } catch {
    throw new KeystoreError('it is neither PKCS#12 nor PEM, or the password is wrong');
  }
  const { keyBag, pkcs8ShroudedKeyBag } = forge.pki.oids;
  const bags = [keyBag, pkcs8ShroudedKeyBag].flatMap((bagType) =>
    bagType === undefined ? [] : (store.getBags({ bagType })[bagType] ?? []),
  );
  // Names are compared as Java does it.
  const wanted = bags.filter((bag) => alias === '' || aliasOf(bag) === alias.toLowerCase());
  if (wanted.length === 0) throw new KeystoreError(alias === '' ? 'it holds no key' : 'it holds no key of that alias');
  if (wanted.length > 1) throw new KeystoreError('it holds several keys: security.jwt.key.alias must name one');
  // Absent for anything but RSA.
  const key = wanted[0]?.key;
  if (key === undefined || key === null) throw new KeystoreError('its key is no RSA key');
  return createPrivateKey(forge.pki.privateKeyToPem(key));
}

function aliasOf(bag: forge.pkcs12.Bag): string | undefined {
  const { friendlyName } = bag.attributes as { friendlyName?: readonly unknown[] };
  const name = friendlyName?.[0];
  return typeof name === 'string' ? name.toLowerCase() : undefined;
}
