/** Places by their address: a folder, or `s3://bucket/prefix`. */
import { resolve } from 'node:path';
import type { Config } from '../../config/index.js';
import { BackupError } from '../errors.js';
import { FolderPlace } from './folder-place.js';
import type { BackupPlace } from './place.js';
import { openS3Place } from './s3-place.js';

export type { BackupPlace } from './place.js';

const S3 = /^s3:\/\/([A-Za-z0-9][A-Za-z0-9._-]{1,254})(?:\/([\w./-]*))?$/;

/** The place of an address; keys for S3 are those of the settings (`backup.s3.*`). A relative folder counts from that of the settings file. Throws `BackupError`. */
export async function openPlace(address: string, config: Config): Promise<BackupPlace> {
  if (address === '') throw new BackupError('there is no place for backups: set backup.place, or say --place.');
  if (!address.startsWith('s3:')) return new FolderPlace(resolve(config.folder, address));
  const [, bucket, prefix = ''] = S3.exec(address) ?? [];
  if (bucket === undefined) throw new BackupError('a place in S3 is s3://bucket or s3://bucket/prefix.');
  const [accessKey, secretKey] = [config.get('backup.s3.accesskey'), config.get('backup.s3.secretkey')];
  if (accessKey === '' || secretKey === '')
    throw new BackupError('a place in S3 needs backup.s3.accesskey and backup.s3.secretkey.');
  return openS3Place({
    bucket,
    prefix: prefix.replace(/^\/+|\/+$/g, ''),
    endpoint: config.get('backup.s3.endpoint'),
    region: config.get('backup.s3.region'),
    accessKey,
    secretKey,
  });
}
