/** Lists of objects as tables (docs/interface/monitoring.md 7): a row an object, a column a property of the view. */
import type { GraphEntity, ReadTransaction } from '../../graph/index.js';
import { JsonOut, Renderer, type Type } from '../../schema/index.js';
import { isJsonObject, parseJsonSync, type JsonValue } from '../../../shared/json/index.js';
import type { RestRequest } from '../context.js';
import { renderOptions } from '../answer/envelope.js';

const DELIMITER = ';';
const LINE_END = '\r\n';

export class Rows {
  readonly #columns: readonly string[];
  readonly #out: JsonOut;
  readonly #renderer: Renderer;

  constructor(request: RestRequest, tx: ReadTransaction, type: Type) {
    this.#columns = (type.views.get(request.view)?.properties ?? []).map(({ name }) => name);
    this.#out = new JsonOut(false, undefined, request.settings.outputTimeout);
    this.#renderer = new Renderer(this.#out, renderOptions(request, tx));
  }

  get header(): string {
    return this.#columns.map(cell).join(DELIMITER) + LINE_END;
  }

  /** What REST would show of an object, as a row: what has no value, and what a subtype has beside the view, is left out. */
  async row(entity: GraphEntity): Promise<string> {
    const out = this.#out;
    out.text = '';
    if (this.#renderer.isPlain(entity)) this.#renderer.rootSync(entity, 0);
    else await this.#renderer.root(entity, 0);
    if (out.due) await out.pause();
    const shown = parseJsonSync(out.text);
    const values = isJsonObject(shown) ? shown : {};
    return this.#columns.map((name) => cell(textOf(values[name] ?? null))).join(DELIMITER) + LINE_END;
  }
}

/** Related objects and lists are JSON in a cell. */
function textOf(value: JsonValue): string {
  if (value === null) return '';
  if (typeof value !== 'object') return String(value);
  return JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? String(one) : one));
}

/** Every cell is quoted (RFC 4180). */
function cell(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
