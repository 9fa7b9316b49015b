/** Backups in a bucket of S3, or of a server that speaks it. The SDK is loaded when it is used. */
import type { S3Client } from '@aws-sdk/client-s3';
import { optional } from '../../../shared/optional-package.js';
import { BackupError } from '../errors.js';
import type { BackupPlace } from './place.js';

export interface S3PlaceOptions {
  readonly bucket: string;
  /** Before all names, without slashes at its ends; may be empty. */
  readonly prefix: string;
  /** Address of a server other than Amazon's; may be empty. */
  readonly endpoint: string;
  readonly region: string;
  readonly accessKey: string;
  readonly secretKey: string;
}

const ATTEMPTS = 5;

/** Throws `OptionalPackageError` where the SDK is not installed. */
export async function openS3Place(options: S3PlaceOptions): Promise<BackupPlace> {
  const sdk = await optional(() => import('@aws-sdk/client-s3'));
  const client: S3Client = new sdk.S3Client({
    region: options.region === '' ? 'us-east-1' : options.region,
    ...(options.endpoint === '' ? {} : { endpoint: options.endpoint, forcePathStyle: true }),
    credentials: { accessKeyId: options.accessKey, secretAccessKey: options.secretKey },
    maxAttempts: ATTEMPTS,
  });
  const { bucket: Bucket } = options;
  const start = options.prefix === '' ? '' : `${options.prefix}/`;
  const told = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      const why = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      throw new BackupError(`s3://${Bucket} could not ${what}: ${why}`, { cause: error });
    }
  };
  return {
    name: `s3://${Bucket}/${start}`,
    put: (name, bytes) =>
      told(`take ${name}`, async () => {
        await client.send(new sdk.PutObjectCommand({ Bucket, Key: start + name, Body: bytes }));
      }),
    get: (name) =>
      told(`give ${name}`, async () => {
        const { Body } = await client.send(new sdk.GetObjectCommand({ Bucket, Key: start + name }));
        return Buffer.from((await Body?.transformToByteArray()) ?? []);
      }),
    async *list(prefix) {
      let ContinuationToken: string | undefined;
      do {
        const page = await told('list', () =>
          client.send(
            new sdk.ListObjectsV2Command({
              Bucket,
              Prefix: start + prefix,
              ...(ContinuationToken === undefined ? {} : { ContinuationToken }),
            }),
          ),
        );
        for (const { Key, LastModified } of page.Contents ?? [])
          if (Key !== undefined)
            yield { name: Key.slice(start.length), written: LastModified?.getTime() ?? Date.now() };
        ContinuationToken = page.NextContinuationToken;
      } while (ContinuationToken !== undefined);
    },
    remove: (name) =>
      told(`remove ${name}`, async () => {
        await client.send(new sdk.DeleteObjectCommand({ Bucket, Key: start + name }));
      }),
  };
}
