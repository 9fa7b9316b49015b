/** S3 as a kind of storage: what its configuration must say. The SDK is loaded when the first one is used. */
import { optional } from '../../../../shared/optional-package.js';
import { missing, type StorageProvider } from '../definition.js';
import { endpointOf } from './s3-endpoint.js';

const BUCKET = /^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$/;

export const s3Provider: StorageProvider = {
  problems: (entries) => {
    const has = (name: string): boolean => (entries.get(name) ?? '') !== '';
    const problems = missing(entries, ['bucketName', 'accessKey', 'secretKey', ...(has('endpoint') ? [] : ['region'])]);
    if (has('bucketName') && !BUCKET.test(entries.get('bucketName') ?? '')) {
      problems.push({ entry: 'bucketName', token: 'must_match', detail: 'cannot use this as the name of a bucket' });
    }
    if (has('endpoint') && endpointOf(entries.get('endpoint') ?? '') === undefined) {
      problems.push({ entry: 'endpoint', token: 'must_match', detail: 'needs the address of a server as endpoint' });
    }
    return problems;
  },
  create: async (definition, parts) =>
    (await optional(() => import('./s3-storage.js'))).createS3Storage(definition, parts),
};
