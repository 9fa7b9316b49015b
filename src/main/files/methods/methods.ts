/** What can be done with the content of a file beyond sending it (docs/interface/imports.md 1). */
import type { GraphNode, PropertyChanges, ReadTransaction } from '../../graph/index.js';
import { HttpError } from '../../http/index.js';
import { allowed, type ObjectTransaction } from '../../schema/index.js';
import type { JsonObject, JsonValue } from '../../../shared/json/index.js';
import { CHECKSUM_NAMES, type ChecksumName } from '../content/checksums.js';
import { essenceOf, isXml } from '../content/content-type.js';
import type { Received } from '../content/received.js';
import { placeOfContent, samePlace, sizeOf } from '../content/place.js';
import type { FilesContext } from '../context.js';
import { FilesError } from '../errors.js';
import { csvFormat, csvHeader } from '../imports/csv/csv-reader.js';
import { xmlStructure } from '../imports/xml/xml-structure.js';
import type { Rights } from '../jobs/rights.js';
import type { TemplateReader } from '../serve/template-evaluation.js';
import { evaluated, isEvaluated, refuseEvaluated } from '../serve/templates.js';
import { checksumsOf, largestFile, mayReplace } from '../upload/upload-target.js';
import { wholeContent } from '../content/whole-content.js';
import type { Within } from '../zip/archives-within.js';
import { decoded, encoded } from './charsets.js';
import { contextsOf, firstLines } from './lines.js';
import { through } from '../writing.js';

const MB = 1024 * 1024;
/** Content that is sent as JSON: it is in memory several times on its way. */
const MOST_IN_JSON = 16 * MB;
const MOST_LINES = 1000;
const MOST_WORDS = 1000;
/** Contents that change while something is appended to them: how often that is tried again. */
const ATTEMPTS = 5;

/** The content was replaced while it was worked with. */
class Overtaken extends Error {}

/** Whose rights count, and where it is written. */
export interface Writing extends Rights {
  /** A transaction that is going on; absent: each call has one of its own. */
  readonly objects?: ObjectTransaction;
}

/** Methods that read ask for nothing: their caller may read the file. Those that write ask for the write right. */
export class FileMethods {
  constructor(private readonly context: FilesContext) {}

  async firstLines(file: GraphNode, count: number): Promise<JsonObject> {
    if (count < 1 || count > MOST_LINES) throw new FilesError(400, `"num" must be from 1 to ${String(MOST_LINES)}.`);
    const { lines, separator } = await firstLines(this.#read(file), count);
    return separator === undefined ? { lines } : { lines, separator };
  }

  async csvHeaders(file: GraphNode, input: JsonObject): Promise<JsonObject> {
    if (essenceOf(file) !== 'text/csv') throw new FilesError(400, 'The content type of the file is not text/csv.');
    return { headers: [...((await csvHeader(this.#read(file), csvFormat(input))) ?? [])] };
  }

  /** JSON text that tells how elements are nested; null for what is no XML. */
  async xmlStructure(file: GraphNode): Promise<string | null> {
    return isXml(file) ? JSON.stringify(await xmlStructure(this.#read(file))) : null;
  }

  async searchContext(file: GraphNode, search: string, words: number): Promise<JsonObject | null> {
    if (words < 0 || words > MOST_WORDS)
      throw new FilesError(400, `"contextLength" must be from 0 to ${String(MOST_WORDS)}.`);
    const text = file.properties['extractedContent'];
    return typeof text === 'string' ? { context: await contextsOf(text, search, words) } : null;
  }

  /** The content as text in an encoding. */
  async content(file: GraphNode, encoding: string, reader: TemplateReader): Promise<string> {
    return decoded(await this.bytes(file, reader), encoding);
  }

  /** The whole content of a file that is not too large for it; of a template what it becomes for the reader. */
  async bytes(file: GraphNode, reader: TemplateReader): Promise<Buffer> {
    if (sizeOf(file) > MOST_IN_JSON) {
      throw new FilesError(413, `The file is larger than ${String(MOST_IN_JSON / MB)} MB; read it by its URL.`);
    }
    if (isEvaluated(file)) return Buffer.from((await evaluated(this.context, file, reader)).text);
    return wholeContent(this.context.contents, file, reader.exchange);
  }

  /** Replaces the content. */
  async setContent(rights: Writing, file: GraphNode, content: JsonValue, encoding: string): Promise<void> {
    await this.#mayWrite(rights, file);
    const bytes = bytesOf(content, encoding);
    const received = await this.context.contents.receive(file, one(bytes), await this.#options(file));
    await this.#publish(rights, file.id, received, ownMark(rights));
  }

  /** Replaces the content by bytes that are read only when that is permitted; `within` becomes the writer when they are stored. */
  setBytes(within: Within, file: GraphNode, bytes: AsyncIterable<Buffer>): Promise<void> {
    return this.#setWithin(within, file, bytes, ownMark(within));
  }

  /** The same for bytes made of what the file has, whoever wrote that. Throws `FilesError` 409 when it was replaced meanwhile. */
  async setDerived(within: Within, file: GraphNode, bytes: AsyncIterable<Buffer>): Promise<void> {
    const mark = file.properties['sandboxed'] === true ? {} : ownMark(within);
    try {
      await this.#setWithin(within, file, bytes, mark, file);
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error;
      throw new FilesError(409, 'The content of the file was replaced meanwhile; try again.');
    }
  }

  async #setWithin(
    { actor, access, read, objects }: Within,
    file: GraphNode,
    bytes: AsyncIterable<Buffer>,
    mark: PropertyChanges,
    before?: GraphNode,
  ): Promise<void> {
    const { contents, schemas } = this.context;
    await read((tx) => mayReplace({ tx, schema: schemas.schema }, actor, access, file.id));
    if (file.properties['isTemplate'] === true) throw isTemplate();
    const received = await contents.receive(file, bytes, await this.#options(file));
    let rights: Writing;
    try {
      rights = { actor, access, objects: await objects() };
    } catch (error) {
      await contents.abandon(received);
      throw error;
    }
    await this.#publish(rights, file.id, received, mark, before);
  }

  /** Adds to the end of the content. */
  async appendContent(rights: Writing, file: GraphNode, content: JsonValue, encoding: string): Promise<void> {
    await this.#mayWrite(rights, file);
    const bytes = bytesOf(content, encoding);
    if (bytes.length === 0) return;
    for (let attempt = 1; ; attempt++) {
      try {
        await this.context.contents.append(
          file.id,
          [bytes],
          await this.#options(file),
          (received, before) => {
            // A mark that somebody else's bytes have put there stays.
            const mark = before.properties['sandboxed'] === true ? {} : ownMark(rights);
            return this.#publish(rights, file.id, received, mark, before);
          },
          (work) => this.#reading(rights, work),
        );
        return;
      } catch (error) {
        if (!(error instanceof Overtaken)) throw error;
        if (attempt === ATTEMPTS) throw new FilesError(409, 'The file is being written by others; try again.');
      }
    }
  }

  /** Makes the content of one file that of another, which is returned. */
  async copyContents(rights: Writing, source: GraphNode, targetId: string): Promise<JsonObject> {
    const { contents } = this.context;
    const target = await this.#reading(rights, async (tx) => {
      const node = await tx.node(targetId);
      return node !== undefined && (await allowed(tx, rights.access, 'read', node)) ? node : undefined;
    });
    if (target === undefined) throw new FilesError(404, `No file with UUID ${targetId} found.`);
    await this.#mayWrite(rights, target);
    if (isEvaluated(source) && !rights.actor.isAdmin) {
      throw new FilesError(403, 'Only administrators may copy content that is evaluated when it is read.');
    }
    const received = await contents.receive(target, this.#stored(source), await this.#options(target));
    const { contentType, sandboxed } = source.properties;
    await this.#publish(rights, target.id, received, {
      ...ownMark(rights),
      ...(sandboxed === true ? { sandboxed } : {}),
      contentType: contentType ?? null,
      version: 0,
    });
    return { id: target.id, type: target.type, name: target.properties['name'] as string };
  }

  /** Computes checksums of the content anew and stores them with the file. */
  async calculateChecksums(
    rights: Rights,
    file: GraphNode,
    algorithms: readonly JsonValue[] | undefined,
    signal?: AbortSignal,
  ): Promise<JsonObject> {
    await this.#mayRight(rights, file);
    const names = algorithms === undefined ? await this.#checksumsOf(file) : namesOf(algorithms);
    const values = await this.context.contents.sum(this.#stored(file, signal), names);
    await this.#write(rights, file.id, async (objects, now) => {
      if (!sameContent(now, file)) throw new FilesError(409, 'The content was replaced while it was read; try again.');
      await mayReplace(objects, rights.actor, rights.access, now.id);
      const changes: PropertyChanges = { ...values };
      objects.stamp(changes, false);
      await objects.tx.updateNode(now.id, changes);
      objects.touch(now.id);
    });
    return values as JsonObject;
  }

  /** What readers get. Throws `FilesError` where that would have to be evaluated first, as serving does. */
  #read(file: GraphNode): AsyncIterable<Buffer> {
    refuseEvaluated(file);
    return this.#stored(file);
  }

  #stored(file: GraphNode, signal?: AbortSignal): AsyncIterable<Buffer> {
    return this.context.contents.read(file, { from: 0, to: sizeOf(file) }, signal);
  }

  async #options(file: GraphNode): Promise<{ limit: number; checksums: readonly ChecksumName[] }> {
    return {
      limit: largestFile(this.context.config),
      checksums: await this.#checksumsOf(file),
    };
  }

  #checksumsOf(file: GraphNode): Promise<readonly ChecksumName[]> {
    const { graph, schemas, config } = this.context;
    return graph.read((tx) => checksumsOf({ tx, schema: schemas.schema }, config, file));
  }

  /** Before any byte is stored. Throws `HttpError` and `FilesError`. */
  async #mayWrite(rights: Writing, file: GraphNode): Promise<void> {
    await this.#mayRight(rights, file);
    if (file.properties['isTemplate'] === true) throw isTemplate();
  }

  #mayRight(rights: Writing, file: GraphNode): Promise<void> {
    const { schemas } = this.context;
    return this.#reading(rights, async (tx) => {
      await mayReplace({ tx, schema: schemas.schema }, rights.actor, rights.access, file.id);
    });
  }

  #reading<T>({ objects }: Writing, work: (tx: ReadTransaction) => Promise<T>): Promise<T> {
    return objects === undefined ? this.context.graph.read(work) : work(objects.tx);
  }

  /** Throws `Overtaken` when the content is not that of `before` any more. */
  async #publish(
    rights: Writing,
    id: string,
    received: Received,
    more: PropertyChanges,
    before?: GraphNode,
  ): Promise<void> {
    const { contents } = this.context;
    try {
      await this.#write(rights, id, async (objects, now) => {
        await mayReplace(objects, rights.actor, rights.access, now.id);
        if (now.properties['isTemplate'] === true) throw isTemplate();
        if (before !== undefined && !sameContent(now, before)) throw new Overtaken();
        await contents.publish(objects, now, received, more);
      });
      // However that transaction ends: it may have replaced this content, too.
      rights.objects?.onEnd(() => void contents.abandon(received));
    } catch (error) {
      await contents.abandon(received);
      throw error;
    }
  }

  async #write(
    { actor, access, objects: given }: Writing,
    id: string,
    work: (objects: ObjectTransaction, now: GraphNode) => Promise<void>,
  ): Promise<void> {
    const { schemas } = this.context;
    const within = async (objects: ObjectTransaction): Promise<void> => {
      const now = await objects.tx.node(id);
      if (now === undefined) throw new HttpError(404, `No file with UUID ${id} found.`);
      await work(objects, now);
    };
    if (given === undefined)
      await schemas.write(actor, access, through('rest', 'content of a file', this.context), within);
    else await within(given);
  }
}

/** Content that somebody wrote who is no administrator is marked. */
function ownMark({ actor }: Pick<Rights, 'actor'>): PropertyChanges {
  return { sandboxed: actor.isAdmin ? null : true };
}

function sameContent(a: GraphNode, b: GraphNode): boolean {
  return samePlace(placeOfContent(a), placeOfContent(b)) && sizeOf(a) === sizeOf(b);
}

function isTemplate(): FilesError {
  return new FilesError(422, 'The content of this file is evaluated when it is read; replace it by an upload.');
}

/** Text in an encoding, or a list of bytes. Throws `FilesError` 422 for anything else. */
function bytesOf(content: JsonValue, encoding: string): Buffer {
  if (typeof content === 'string') return encoded(content, encoding);
  const isByte = (one: JsonValue): boolean => Number.isInteger(one) && Number(one) >= -128 && Number(one) <= 255;
  if (Array.isArray(content) && content.every(isByte)) return Buffer.from(content as number[]);
  throw new FilesError(422, 'The content must be text or a list of bytes.');
}

function namesOf(list: readonly JsonValue[]): ChecksumName[] {
  return list
    .filter((name) => name !== 'checksum' && name !== 'xxhash')
    .map((name) => {
      const known = CHECKSUM_NAMES.find((one) => one === name);
      if (known === undefined)
        throw new FilesError(400, `"algorithms" may have ${CHECKSUM_NAMES.join(', ')}; xxHash is always computed.`);
      return known;
    });
}

async function* one(bytes: Buffer): AsyncGenerator<Buffer, void, undefined> {
  if (bytes.length > 0) yield bytes;
}
