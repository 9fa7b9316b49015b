/** Certificates for tests, made on the spot. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import forge from 'node-forge';

const DAY = 24 * 3600 * 1000;

export interface Pair {
  readonly certificate: string;
  readonly key: string;
}

export interface CertificateOptions {
  /** Days from now. */
  readonly from?: number;
  readonly to?: number;
  /** PEM; absent: a new one. */
  readonly key?: string;
}

/** A new private RSA key as PEM. */
export function newKey(): string {
  return generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
    type: 'pkcs8',
    format: 'pem',
  }) as string;
}

let serial = 1;

/** A certificate for `localhost` that signs itself, told apart by its common name. */
export function newCertificate(name: string, options: CertificateOptions = {}): Pair {
  const key = options.key ?? newKey();
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.publicKeyFromPem(
    createPublicKey(createPrivateKey(key)).export({ type: 'spki', format: 'pem' }) as string,
  );
  certificate.serialNumber = (0x1000 + serial++).toString(16);
  certificate.validity.notBefore = new Date(Date.now() + (options.from ?? -1) * DAY);
  certificate.validity.notAfter = new Date(Date.now() + (options.to ?? 30) * DAY);
  const subject = [{ name: 'commonName', value: name }];
  certificate.setSubject(subject);
  certificate.setIssuer(subject);
  certificate.setExtensions([
    { name: 'basicConstraints', cA: true },
    { name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] },
  ]);
  certificate.sign(forge.pki.privateKeyFromPem(key), forge.md.sha256.create());
  return { certificate: forge.pki.certificateToPem(certificate), key };
}

/** A PKCS#12 keystore with the pair. */
export function keystoreOf({ certificate, key }: Pair, password: string): Buffer {
  const store = forge.pkcs12.toPkcs12Asn1(
    forge.pki.privateKeyFromPem(key),
    [forge.pki.certificateFromPem(certificate)],
    password,
    { algorithm: 'aes256', count: 2048 },
  );
  return Buffer.from(forge.asn1.toDer(store).getBytes(), 'latin1');
}

/** The key behind a passphrase. */
export function sealed(key: string, passphrase: string): string {
  return createPrivateKey(key).export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase }) as string;
}

/** Common name of a certificate in PEM or DER form. */
export function nameOf(certificate: string | Buffer): string {
  return /CN=(.*)/.exec(new X509Certificate(certificate).subject)?.[1] ?? '';
}
