/**
 * Reads a certificate and its private key, from PEM files or a PKCS#12 keystore, and checks that they can be used:
 * deriving keys from passwords takes long. The key leaves this thread only sealed with a password that lives as long
 * as the job.
 */
import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { parentPort, workerData } from 'node:worker_threads';
import forge from 'node-forge';

/** Where a certificate is. */
export type CertificateSource =
  | { readonly kind: 'pem'; readonly certificate: string; readonly key: string; readonly passphrase: string }
  | { readonly kind: 'pkcs12'; readonly path: string; readonly password: string };

export interface CertificateJob {
  readonly source: CertificateSource;
  /** Password the key is sealed with. */
  readonly seal: string;
}

/** What is posted: a certificate that can be used, or why there is none. */
export type CertificateMessage =
  | {
      readonly chain: string;
      /** PEM, sealed. */
      readonly key: string;
      readonly subject: string;
      /** Milliseconds since 1970. */
      readonly validTo: number;
    }
  | { readonly problem: string };

/** What is wrong, in one line. */
class Problem extends Error {}

interface Found {
  /** The server's own certificate first. */
  readonly chain: readonly X509Certificate[];
  readonly key: KeyObject;
}

const MAX_FILE = 1_048_576;
/** First bytes of a keystore in Java's own format. */
const JKS = 'feedfeed';

async function read(path: string, what: string): Promise<Buffer> {
  try {
    const { size } = await stat(path);
    if (size > MAX_FILE) throw new Problem(`the ${what} ${path} has more than ${String(MAX_FILE)} bytes`);
    return await readFile(path);
  } catch (error) {
    if (error instanceof Problem) throw error;
    const code = (error as NodeJS.ErrnoException).code;
    const reason = code === 'ENOENT' ? 'there is no such file' : code === 'EACCES' ? 'no permission' : String(code);
    throw new Problem(`the ${what} ${path} cannot be read: ${reason}`);
  }
}

async function fromPem(source: CertificateSource & { kind: 'pem' }): Promise<Found> {
  const text = (await read(source.certificate, 'certificate')).toString('latin1');
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new Problem(`the certificate ${source.certificate} is not in PEM form`);
  const chain = blocks.map((block) => {
    try {
      return new X509Certificate(block);
    } catch {
      throw new Problem(`the certificate ${source.certificate} is damaged`);
    }
  });
  const keyFile = source.key === '' ? source.certificate : source.key;
  const keyText = source.key === '' ? text : (await read(keyFile, 'private key')).toString('latin1');
  const block = /-----BEGIN ([A-Z ]*PRIVATE KEY)-----[^]*?-----END \1-----/.exec(keyText)?.[0];
  if (block === undefined) throw new Problem(`there is no private key in PEM form in ${keyFile}`);
  const sealed = /BEGIN ENCRYPTED|Proc-Type: 4,ENCRYPTED/.test(block);
  if (sealed && source.passphrase === '')
    throw new Problem(`the private key ${keyFile} needs a passphrase (application.https.key.passphrase)`);
  try {
    return { chain, key: createPrivateKey({ key: block, format: 'pem', passphrase: source.passphrase }) };
  } catch {
    throw new Problem(`the private key ${keyFile} is damaged${sealed ? ', or its passphrase is another one' : ''}`);
  }
}

async function fromPkcs12(source: CertificateSource & { kind: 'pkcs12' }): Promise<Found> {
  const { path } = source;
  const bytes = await read(path, 'keystore');
  if (bytes.subarray(0, 4).toString('hex') === JKS)
    throw new Problem(`the keystore ${path} is of the type JKS; keytool -importkeystore turns it into PKCS12`);
  let bags: forge.pkcs12.Bag[];
  try {
    const store = forge.pkcs12.pkcs12FromAsn1(forge.asn1.fromDer(bytes.toString('latin1')), source.password);
    bags = store.safeContents.flatMap((content) => content.safeBags);
  } catch (error) {
    const wrongPassword = error instanceof Error && /password|MAC|decrypt/i.test(error.message);
    throw new Problem(
      wrongPassword
        ? `the keystore ${path} is damaged, or application.keystore.password is not its password`
        : `the keystore ${path} is no PKCS#12 keystore that can be read`,
    );
  }
  const certificates = bags.flatMap((bag) => certificateOf(bag) ?? []);
  for (const key of bags.flatMap((bag) => keyOf(bag) ?? [])) {
    const own = certificates.find((certificate) => certificate.checkPrivateKey(key));
    if (own !== undefined) return { chain: chainOf(own, certificates), key };
  }
  throw new Problem(`the keystore ${path} has no private key with its certificate`);
}

function certificateOf(bag: forge.pkcs12.Bag): X509Certificate | undefined {
  if (bag.type !== forge.pki.oids['certBag']) return undefined;
  // The library knows RSA alone; other certificates it hands out undecoded.
  const asn1 = bag.cert ? forge.pki.certificateToAsn1(bag.cert) : bag.asn1;
  return new X509Certificate(Buffer.from(forge.asn1.toDer(asn1).getBytes(), 'latin1'));
}

function keyOf(bag: forge.pkcs12.Bag): KeyObject | undefined {
  const { oids } = forge.pki;
  if (bag.type !== oids['keyBag'] && bag.type !== oids['pkcs8ShroudedKeyBag']) return undefined;
  const asn1 = bag.key ? forge.pki.wrapRsaPrivateKey(forge.pki.privateKeyToAsn1(bag.key)) : bag.asn1;
  const der = Buffer.from(forge.asn1.toDer(asn1).getBytes(), 'latin1');
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
}

/** The certificate and those that signed it, in order; a root at the end is left out, clients have their own. */
function chainOf(own: X509Certificate, all: readonly X509Certificate[]): X509Certificate[] {
  const chain = [own];
  for (let last = own; chain.length <= all.length;) {
    const { fingerprint256 } = last;
    const issuer = all.find(
      (c) => c.fingerprint256 !== fingerprint256 && last.checkIssued(c) && last.verify(c.publicKey),
    );
    if (issuer === undefined || issuer.checkIssued(issuer)) break;
    chain.push(issuer);
    last = issuer;
  }
  return chain;
}

function checked({ chain, key }: Found, where: string, seal: string): CertificateMessage {
  const own = chain[0];
  if (own === undefined) throw new Problem(`there is no certificate in ${where}`);
  if (key.asymmetricKeyType !== 'rsa' && key.asymmetricKeyType !== 'ec')
    throw new Problem(`the private key of ${where} is neither RSA nor EC: ${String(key.asymmetricKeyType)}`);
  if (!own.checkPrivateKey(key)) throw new Problem(`the private key does not belong to the certificate ${where}`);
  const [from, to] = [new Date(own.validFrom), new Date(own.validTo)];
  if (to.getTime() <= Date.now()) throw new Problem(`the certificate ${where} expired on ${to.toISOString()}`);
  if (from.getTime() > Date.now())
    throw new Problem(`the certificate ${where} is not valid before ${from.toISOString()}`);
  return {
    chain: chain.map((certificate) => certificate.toString()).join('\n'),
    key: key.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: seal }) as string,
    subject: own.subject.replace(/\n/g, ', '),
    validTo: to.getTime(),
  };
}

async function run({ source, seal }: CertificateJob): Promise<CertificateMessage> {
  try {
    return source.kind === 'pem'
      ? checked(await fromPem(source), source.certificate, seal)
      : checked(await fromPkcs12(source), source.path, seal);
  } catch (error) {
    if (error instanceof Problem) return { problem: error.message };
    return { problem: `the certificate cannot be used: ${error instanceof Error ? error.message : String(error)}` };
  }
}

parentPort?.postMessage(await run(workerData as CertificateJob));
