import type { ObjectTransaction, WriteOptions } from '../schema/index.js';
import type { RestRequest } from './context.js';

/** Runs `work` as the one transaction of a writing request, with the headers that change how it writes. */
export function write<T>(request: RestRequest, work: (objects: ObjectTransaction) => Promise<T>): Promise<T> {
  const { exchange, services, settings } = request;
  const options: WriteOptions = {
    ...settings.write,
    mergeNested: exchange.header('svc-force-merge-of-nested-properties').toLowerCase() === 'enabled',
    noCascade: exchange.header('svc-cascading-delete').toLowerCase() === 'disabled',
  };
  return services.schemas.write(request.actor, request.access, options, work);
}
