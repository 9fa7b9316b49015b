/** Log files of an older system, made into events (docs/interface/analytics.md 9.1). */
import { createReadStream } from 'node:fs';
import { opendir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ALLOW_ALL, type SchemaService, type WriteOptions } from '../schema/index.js';
import { logger } from '../../shared/log.js';
import { LOG_EVENT } from './asked.js';
import { EVENT_WRITER } from './writing.js';

const log = logger('analytics');
/** Events of one transaction. */
const PART = 200;
const UUID = '[0-9a-fA-F]{32}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}';
/** Subject and object. */
const NAME = new RegExp(`^(${UUID})(${UUID})$`);
const LINE = /^(\d{13}),([^,]*),(.*)$/;

/** What has become of them. */
export interface Imported {
  readonly files: number;
  readonly events: number;
  /** Files that are still there, as they are none of these, or have lines that are none. */
  readonly left: number;
}

interface OldEvent {
  readonly id: string;
  readonly timestamp: number;
  readonly action: string;
  readonly message: string;
}

/**
 * Makes an event of each line of the files in a folder, and deletes files that were read as a whole. Events have ids that come of their lines, so
 * that it can be done again when it was cut off. Ends when `isOver`.
 */
export async function importOldLogs(
  folder: string,
  schemas: SchemaService,
  options: WriteOptions,
  isOver: () => boolean,
): Promise<Imported> {
  const imported = { files: 0, events: 0, left: 0 };
  for await (const { path, name } of filesIn(folder)) {
    if (isOver()) break;
    const [, subject, object] = NAME.exec(name) ?? [];
    if (subject === undefined || object === undefined) {
      log.warn(`${path} is no old log: its name is not that of a subject and an object`);
      imported.left++;
      continue;
    }
    const { events, bad } = await importFile(path, { subject, object }, schemas, options);
    imported.events += events;
    if (bad === 0) {
      await unlink(path);
      imported.files++;
      continue;
    }
    log.warn(`${path} is left: ${String(bad)} of its lines are none of an old log`);
    imported.left++;
  }
  return imported;
}

async function* filesIn(folder: string): AsyncGenerator<{ path: string; name: string }> {
  let entries;
  try {
    entries = await opendir(folder);
  } catch (error) {
    // There are no old logs.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return;
    throw error;
  }
  for await (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesIn(path);
    else if (entry.isFile()) yield { path, name: entry.name };
  }
}

async function importFile(
  path: string,
  ends: { readonly subject: string; readonly object: string },
  schemas: SchemaService,
  options: WriteOptions,
): Promise<{ events: number; bad: number }> {
  let [number, events, bad] = [0, 0, 0];
  let part: OldEvent[] = [];
  const write = async (): Promise<void> => {
    const together = part;
    part = [];
    events += await writePart(together, ends, schemas, options);
  };
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    number++;
    const [, time, action, message] = LINE.exec(line) ?? [];
    if (time === undefined || action === undefined || message === undefined) {
      if (line !== '') bad++;
      continue;
    }
    const id = await idOf(`${ends.subject}${ends.object} ${String(number)} ${line}`, options.compactIds);
    part.push({ id, timestamp: Number(time), action, message });
    if (part.length === PART) await write();
  }
  await write();
  return { events, bad };
}

/** Answers how many were not there yet. */
async function writePart(
  part: readonly OldEvent[],
  ends: { readonly subject: string; readonly object: string },
  schemas: SchemaService,
  options: WriteOptions,
): Promise<number> {
  if (part.length === 0) return 0;
  return schemas.write(EVENT_WRITER, ALLOW_ALL, options, async (objects) => {
    const type = objects.schema.type(LOG_EVENT);
    if (type === undefined) return 0;
    const known = await objects.tx.nodes(part.map(({ id }) => id));
    let written = 0;
    for (const [i, { id, ...event }] of part.entries()) {
      if (known[i] !== undefined) continue;
      const flags = { visibleToPublicUsers: true, visibleToAuthenticatedUsers: true };
      await objects.create(type, { ...event, ...ends, ...flags }, { id, properties: {} });
      written++;
    }
    return written;
  });
}

async function idOf(text: string, compact: boolean): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  const id = Buffer.from(digest).toString('hex').slice(0, 32);
  return compact ? id : id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
