/** Content in the JSON of objects, `base64Data` and `imageData` (docs/interface/files.md 3.7). */
import { randomUUID } from 'node:crypto';
import { newId } from '../../graph/index.js';
import {
  SchemaError,
  type Actor,
  type ContentFacts,
  type InputContents,
  type PreparedContent,
} from '../../schema/index.js';
import type { ChecksumName } from '../content/checksums.js';
import { detectContentType } from '../content/content-type.js';
import type { Received } from '../content/received.js';
import type { FilesContext } from '../context.js';
import { checksumsOf, largestFile, ownFolderOf } from './upload-target.js';

/** Characters decoded at once: whole groups of four. */
const PIECE = 256 * 1024;
const DATA_URI = /^data:([^;,]*)((?:;[^;,]*)*?)(;base64)?,/i;
const BASE64 = /^[\w+/-]*={0,2}\s*$/;

/** The contents of one request's inputs, stored before its transaction. What that does not publish is removed at its end. */
export class RequestContents implements InputContents {
  readonly #stored = new Map<string, PreparedContent>();
  readonly #received = new Map<string, Received>();

  constructor(
    private readonly context: FilesContext,
    private readonly actor: Actor,
  ) {}

  async store(text: string, { name, contentType, id, near }: ContentFacts): Promise<string> {
    const { contents, config, write } = this.context;
    const uri = DATA_URI.exec(text);
    if (uri !== null && uri[3] === undefined) throw notContent('a data URI has to say that it is base64');
    const received = await contents.receiveNew(
      id !== undefined && write().idPattern.test(id) ? id : newId(write().compactIds),
      decoded(text, uri?.[0].length ?? 0),
      { limit: largestFile(config), checksums: await this.#checksums(near) },
    );
    const token = randomUUID();
    this.#received.set(token, received);
    const claimed = contentType ?? `${uri?.[1] ?? ''}${uri?.[2] ?? ''}`;
    const type = await detectContentType(name ?? '', claimed, received.head);
    this.#stored.set(token, {
      id: received.file,
      published: (target, before) => ({
        ...contents.published(received, target, before),
        // What the client says of it outside the data is his to say.
        ...(contentType === undefined ? { contentType: type } : {}),
        sandboxed: this.actor.isAdmin ? null : true,
      }),
    });
    return token;
  }

  /** Those that the folder asks for; whether the actor may put anything there is asked when he does. */
  #checksums(near: string | undefined): Promise<readonly ChecksumName[]> {
    const { config, graph, schemas } = this.context;
    return graph.read(async (tx) => {
      const reading = { tx, schema: schemas.schema };
      const node = near === undefined ? await ownFolderOf(reading, config, this.actor) : await tx.node(near);
      return checksumsOf(reading, config, node);
    });
  }

  get(name: string): PreparedContent | undefined {
    return this.#stored.get(name);
  }

  /** After the transaction: `published` when it was committed. */
  async end(published: boolean): Promise<void> {
    if (!published) await Promise.all([...this.#received.values()].map((one) => this.context.contents.abandon(one)));
    this.#received.clear();
  }
}

/** The bytes of base64 text, in pieces. Throws `SchemaError`. */
async function* decoded(text: string, from: number): AsyncGenerator<Buffer> {
  const end = text.length;
  for (let at = from; at < end; at += PIECE) {
    const piece = text.slice(at, at + PIECE);
    const last = at + PIECE >= end;
    if (!BASE64.test(piece) || (!last && piece.includes('=')))
      throw notContent('it has characters that base64 does not have');
    yield Buffer.from(piece, 'base64');
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function notContent(why: string): SchemaError {
  return new SchemaError('Unable to commit transaction, validation failed', [
    { type: 'File', property: 'base64Data', token: 'must_match', detail: `base64 or a data URI: ${why}` },
  ]);
}
