/**
 * `/maintenance/_schemaJson`, `/_schemaJson`: the schema as one document (docs/interface/deployment.md). Who may read it is said by the
 * permission of the path alone; it is written with the rights of who asks.
 */
import type { JsonObject } from '../../../../shared/json/index.js';
import { logger } from '../../../../shared/log.js';
import { changeSchema, parseSchema, readSchema, writeSchema } from '../../../deployment/index.js';
import { sendValue } from '../../answer/envelope.js';
import type { Resolver, RestRequest } from '../../context.js';
import { RestError } from '../../errors.js';
import { read } from '../../read.js';

const log = logger('schema');

const PATHS: ReadonlySet<string> = new Set(['_schemaJson', 'maintenance/_schemaJson']);

export const resolveSchemaJson: Resolver = (segments) => {
  const path = segments.join('/');
  if (!PATHS.has(path)) return undefined;
  return { signature: path, allow: ['GET', 'OPTIONS', 'POST'], verbs: { GET: get, POST: post } };
};

async function get(request: RestRequest): Promise<void> {
  const { text } = await read(request, (tx) => writeSchema(tx, request.schema, 'file'));
  await sendValue(request, text, 1, performance.now() - request.startedAt);
}

/** `{"schema": <document or its text>, "dryRun": true}` */
async function post(request: RestRequest): Promise<void> {
  const { body, actor, access, services, settings } = request;
  const [input] = body.isArray ? [] : body.objects;
  const given = input?.['schema'];
  if (given === undefined || given === null)
    throw new RestError(400, "Invalid request body. Specify schema json string as 'schema' in request body.");
  const dryRun = input?.['dryRun'] === true;
  const document = typeof given === 'string' ? await parseSchema(given) : readSchema(given);
  const done = await changeSchema(services.schemas, document.model, {
    actor,
    access,
    write: settings.write,
    mode: 'replace',
    dryRun,
  });
  const warnings = [...document.notices, ...done.warnings];
  if (!dryRun) {
    for (const warning of warnings) log.warn(`the schema was replaced, but ${warning}`);
    if (done.differences.length > 0)
      log.info(
        `the schema was replaced by ${actor.name ?? 'somebody'}: ${String(done.differences.length)} differences`,
      );
  }
  const answer: JsonObject = {
    code: 200,
    message: dryRun ? 'Schema checked, nothing has changed' : 'Schema imported successfully',
    ...(warnings.length === 0 ? {} : { warnings }),
    // Clients that do not know of dry runs get what they know.
    ...(input?.['dryRun'] === undefined ? {} : { differences: [...done.differences] }),
  };
  request.exchange.setHeader('Content-Type', 'application/json;charset=utf-8');
  request.exchange.end(`${JSON.stringify(answer, null, 2)}\n`);
}
