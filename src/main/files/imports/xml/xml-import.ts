/** Elements of an XML file become objects (docs/interface/imports.md 3.2). */
import type { GraphNode } from '../../../graph/index.js';
import type { Actor, ObjectTransaction, Type } from '../../../schema/index.js';
import type { JsonObject, JsonValue } from '../../../../shared/json/index.js';
import { isXml } from '../../content/content-type.js';
import { sizeOf } from '../../content/place.js';
import type { FilesContext } from '../../context.js';
import { FilesError } from '../../errors.js';
import { JobError, type Job, type JobControl } from '../../jobs/job.js';
import { needsUser, rightsNow } from '../../jobs/rights.js';
import { mayCreate, writeBatch, type Item, type Writer } from '../batch.js';
import { finishing, scriptsOf } from '../scripts.js';
import { explained, fileNow, pathOfFile } from '../source.js';
import { refuseEvaluated } from '../../serve/templates.js';
import { xmlMappings, XmlObjects, type XmlMappings, type XmlObject } from './xml-objects.js';
import { xmlEvents } from './xml-reader.js';

/** Root objects of one transaction. */
const BATCH = 100;
/** Characters of one transaction, however few objects have them. */
const BATCH_SIZE = 4 * 1024 * 1024;

interface XmlItem extends Item {
  readonly object: XmlObject;
}

/** Begins to import a file, which the actor may read; the job. Throws `FilesError` for parameters that make no sense. */
export async function startXmlImport(
  context: FilesContext,
  asked: Actor,
  file: GraphNode,
  input: JsonObject,
): Promise<Job> {
  needsUser(asked);
  refuseEvaluated(file);
  if (!isXml(file)) throw new FilesError(400, 'The content type of the file is neither text/xml nor application/xml.');
  const mappings = xmlMappings(context.schemas.schema, input);
  const { actor, access } = await rightsNow(context, asked);
  const { onFinish = null } = input;
  const scripts = await scriptsOf(context, actor, { onFinish });
  await mayCreate(context, actor, mappings.types);
  const path = await pathOfFile(context, file, access);
  return context.jobs.submit({
    jobtype: 'XML',
    actor,
    file: { id: file.id, path, size: sizeOf(file) },
    run: (job) => importElements(context, actor, file, mappings, job),
    after: finishing(context, actor, scripts),
  });
}

async function importElements(
  context: FilesContext,
  asked: Actor,
  file: GraphNode,
  mappings: XmlMappings,
  job: JobControl,
): Promise<undefined> {
  const now = await fileNow(context, asked, file);
  const writer: Writer<XmlItem> = { types: mappings.types, ignoreInvalid: false, write: writeObject };
  const objects = new XmlObjects(mappings);
  let batch: XmlItem[] = [];
  let size = 0;
  const flush = async (): Promise<void> => {
    await job.checkpoint();
    await writeBatch(context, job, asked, batch, writer);
    batch = [];
    size = 0;
  };
  try {
    const content = context.contents.read(now, { from: 0, to: sizeOf(now) }, job.signal);
    for await (const events of xmlEvents(content)) {
      for (const event of events) {
        const found = objects.take(event);
        if (found === undefined) continue;
        batch.push({
          name: `Element ${String(found.number)} at ${found.path}`,
          inputs: inputsOf(found.object),
          object: found.object,
        });
        size += found.size;
        if (batch.length >= BATCH || size >= BATCH_SIZE) await flush();
      }
    }
    await flush();
  } catch (error) {
    // What is wrong with the document is said by its line.
    if (error instanceof FilesError && error.status === 422) throw new JobError(error.message);
    throw await explained(context, now, error);
  }
  return undefined;
}

function inputsOf(object: XmlObject): { type: Type; input: JsonObject }[] {
  const { type, input, nested } = object;
  return [{ type, input }, ...nested.flatMap((one) => inputsOf(one.object))];
}

/** Nested objects first: theirs are the ids that the outer one is linked to. */
async function writeObject(objects: ObjectTransaction, { object }: XmlItem): Promise<number> {
  let created = 0;
  const write = async ({ type, input, nested }: XmlObject): Promise<string> => {
    const links = Object.create(null) as Record<string, JsonValue>;
    for (const { object: inner, propertyName, isSingle } of nested) {
      const id = await write(inner);
      const list = links[propertyName];
      if (isSingle) links[propertyName] = id;
      else if (Array.isArray(list)) list.push(id);
      else links[propertyName] = [id];
    }
    created++;
    // The input stays as it is: it may be written again, on its own.
    return (await objects.create(type, { ...input, ...links })).id;
  };
  await write(object);
  return created;
}
