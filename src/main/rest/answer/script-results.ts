/** What methods answer, as JSON: objects in the view of the URL, wherever they are in it (docs/interface/lists.md 2.2, docs/interface/scripting.md 4.5). */
import type { GraphEntity, ReadTransaction } from '../../graph/index.js';
import { jsonText, LONG_TEXT, Renderer, type JsonOut } from '../../schema/index.js';
import {
  formsOf,
  jsonDate,
  jsonOf,
  nameOfValue,
  ScriptEntity,
  ScriptError,
  type ScriptRun,
  type ScriptValue,
} from '../../scripting/index.js';
import { Envelope, renderOptions, sendEmpty } from './envelope.js';
import type { RestRequest } from '../context.js';
import { read } from '../read.js';

/** Maps and lists deeper than this hold themselves. */
const DEEPEST = 200;
/** Elements and entries: a list may be in another many times. */
const MOST_PARTS = 2_000_000;

/** Sends a method's result, or what its scripts wrote in place of it; the status and headers that they asked for go with it. */
export async function sendScriptResult(
  request: RestRequest,
  value: ScriptValue,
  run: ScriptRun,
  raw: boolean,
): Promise<void> {
  const { body } = run.response;
  try {
    if (body?.isWritten === true) await run.response.sendBody(request.exchange, body);
    else await sendValueOf(request, value, run, raw);
  } finally {
    await body?.release();
  }
}

async function sendValueOf(request: RestRequest, value: ScriptValue, run: ScriptRun, raw: boolean): Promise<void> {
  run.response.applyTo(request.exchange);
  if (value === null && !raw) await sendEmpty(request);
  else await sendScriptValue(request, value, run, raw);
}

/** Sends a value of scripts alone: what they said of the answer counts for nothing. `run`: whose dates they are. */
export async function sendScriptValue(
  request: RestRequest,
  value: ScriptValue,
  run: ScriptRun,
  raw = false,
): Promise<void> {
  const entities = new Map<string, ScriptEntity>();
  collect(value, entities);
  await read(request, async (tx) => {
    const current = await reread(tx, entities);
    const envelope = new Envelope(request, raw);
    const { out } = envelope;
    const writer = new ValueWriter(out, new Renderer(out, renderOptions(request, tx)), current, (date) =>
      jsonDate(date, run),
    );
    if (value === null) out.text += '[]';
    else await writer.write(value, raw ? 0 : 1);
    if (raw) {
      await envelope.endBare();
      return;
    }
    const count = Array.isArray(value) && request.exchange.method !== 'GET' ? value.length : 1;
    await envelope.end(-1, undefined, { count: { count, exact: true }, countTime: 0 });
  });
}

/** Refuses what JSON has no form of, and what has too many parts, before anything is sent. Throws `ScriptError` 422. */
function collect(result: ScriptValue, entities: Map<string, ScriptEntity>): void {
  let parts = 0;
  const look = (given: ScriptValue, depth: number): void => {
    const value = formsOf(given)?.json() ?? given;
    if (value === null || typeof value !== 'object') return;
    if (depth > DEEPEST) throw new ScriptError(422, 'The result is nested too deeply, or holds itself.');
    if (value instanceof ScriptEntity) entities.set(value.id, value);
    else if (Array.isArray(value) || value instanceof Map) {
      parts += Array.isArray(value) ? value.length : value.size;
      if (parts > MOST_PARTS) throw new ScriptError(422, 'The result has too many parts.');
      for (const one of value.values()) look(one, depth + 1);
    } else if (!(value instanceof Date) && !(value instanceof Uint8Array)) {
      throw new ScriptError(422, `${nameOfValue(value)} cannot be sent as the result of a method.`);
    }
  };
  look(result, 0);
}

/** As they are after the commit; a deleted one as it was. */
async function reread(
  tx: ReadTransaction,
  entities: ReadonlyMap<string, ScriptEntity>,
): Promise<ReadonlyMap<string, GraphEntity>> {
  const current = new Map<string, GraphEntity>();
  const nodes = [...entities.values()].filter(({ entity }) => entity.kind === 'node');
  const found = await tx.nodes(nodes.map((one) => one.id));
  for (const [i, one] of nodes.entries()) current.set(one.id, found[i] ?? one.entity);
  for (const one of entities.values()) {
    if (one.entity.kind === 'relationship') current.set(one.id, (await tx.relationship(one.id)) ?? one.entity);
  }
  return current;
}

class ValueWriter {
  constructor(
    private readonly out: JsonOut,
    private readonly renderer: Renderer,
    private readonly entities: ReadonlyMap<string, GraphEntity>,
    /** Null for what is no date. */
    private readonly dates: (date: Date) => string | null,
  ) {}

  async write(given: ScriptValue, level: number): Promise<void> {
    const { out } = this;
    const value = formsOf(given)?.json() ?? given;
    if (value instanceof ScriptEntity) {
      const entity = this.entities.get(value.id) ?? value.entity;
      if (this.renderer.isPlain(entity)) this.renderer.rootSync(entity, level);
      else await this.renderer.root(entity, level);
    } else if (Array.isArray(value)) {
      out.text += '[';
      for (const [i, one] of value.entries()) {
        out.text += (i === 0 ? '' : ',') + out.newline(level + 1);
        await this.write(one, level + 1);
        if (out.due) await out.pause();
      }
      out.text += value.length === 0 ? ']' : `${out.newline(level)}]`;
    } else if (value instanceof Map) {
      let first = true;
      out.text += '{';
      for (const [key, one] of value) {
        out.text += `${first ? '' : ','}${out.newline(level + 1)}${JSON.stringify(key)}${out.indent ? ': ' : ':'}`;
        await this.write(one, level + 1);
        if (out.due) await out.pause();
        first = false;
      }
      out.text += first ? '}' : `${out.newline(level)}}`;
    } else if (typeof value === 'string' && value.length > LONG_TEXT) {
      out.long(value);
    } else if (value instanceof Date) {
      out.text += JSON.stringify(this.dates(value));
    } else {
      out.text += jsonText(jsonOf(value));
    }
  }
}
