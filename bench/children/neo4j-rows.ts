/** What the server has written for an object, to be written again under new ids by one UNWIND. */
import neo4j, { type Driver, type Integer } from 'neo4j-driver';
import { newId } from '../../src/main/graph/index.js';
import type { PlainStatement } from '../neo4j.js';

type Properties = Record<string, unknown>;

interface Link {
  readonly type: string;
  readonly out: boolean;
  readonly other: string;
  readonly properties: Properties;
}

interface Template {
  readonly node: Properties;
  readonly links: readonly Link[];
}

/** Objects whose properties are written again and again. */
const TEMPLATES = 2000;
const LOAD =
  'MATCH (n) WHERE $type IN labels(n) WITH n LIMIT $most MATCH (n)-[r]-(o) ' +
  'WITH n, r, o ORDER BY type(r) ' +
  'RETURN properties(n), labels(n), collect([type(r), startNode(r) = n, o.id, properties(r)])';
/** The engine's own position in the order of creation, an Integer that differs from row to row. */
const SEQUENCE = '_svc_seq';

export class Rows {
  #next = 0;
  #sequence = 1_000_000_000_000;

  private constructor(
    private readonly templates: readonly Template[],
    private readonly text: string,
    private readonly ends: Properties,
    /** What is written for one object. */
    readonly note: string,
  ) {}

  static async load(driver: Driver, database: string, type: string): Promise<Rows> {
    const { records } = await driver.executeQuery(LOAD, { type, most: neo4j.int(TEMPLATES) }, { database });
    const templates = records.map((row) => ({
      node: row.get(0) as Properties,
      links: (row.get(2) as [string, boolean, string, Properties][]).map(([name, out, other, properties]) => ({
        type: name,
        out,
        other,
        properties,
      })),
    }));
    const [first] = templates;
    if (first === undefined) throw new Error('the database holds no object');
    const shape = shapeOf(first);
    if (!templates.every((one) => shapeOf(one) === shape)) throw new Error('objects are linked in different ways');
    const labels = (records[0]?.get(1) as string[]).map((label) => `\`${label}\``).join(':');
    const { links } = first;
    // The ends all rows share are looked up once: no better statement for these rows is known to us.
    const ends = links.map((_, i) => `MATCH (o${String(i)}:NodeInterface {id: $o${String(i)}}) `).join('');
    const creates = links.map(({ type: name, out }, i) => {
      const [r, o] = [`r${String(i)}`, `o${String(i)}`];
      const link = `-[${r}:\`${name}\`]-`;
      return ` CREATE ${out ? `(n)${link}>(${o})` : `(${o})${link}>(n)`} SET ${r} = row.${r}`;
    });
    const text = `${ends}UNWIND $rows AS row CREATE (n:${labels}) SET n = row.n${creates.join('')} RETURN count(*)`;
    const note = `one object is a node of ${String(Object.keys(first.node).length)} properties and ${String(links.length)} relationships`;
    return new Rows(templates, text, Object.fromEntries(links.map((link, i) => [`o${String(i)}`, link.other])), note);
  }

  /** A statement that writes so many objects under new ids. */
  statement(count: number): PlainStatement {
    const rows = Array.from({ length: count }, () => {
      const { node, links } = this.templates[this.#next++ % this.templates.length] as Template;
      const row: Record<string, Properties> = { n: this.#renewed(node) };
      for (const [i, link] of links.entries()) row[`r${String(i)}`] = this.#renewed(link.properties);
      return row;
    });
    return { text: this.text, params: { ...this.ends, rows } };
  }

  #renewed(properties: Properties): Properties {
    return { ...properties, id: newId(), [SEQUENCE]: this.#position() };
  }

  #position(): Integer {
    return neo4j.int(this.#sequence++);
  }
}

function shapeOf({ links }: Template): string {
  return JSON.stringify(links.map(({ type, out, other }) => [type, out, other]));
}
