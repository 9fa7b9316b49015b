/** Notes about the database as a whole (`DatabaseNotes`): nodes of the engine's own, which the constraint on their names keeps single. */
import type { DatabaseNotes } from '../../graph.js';
import type { Database } from '../connection/database.js';
import type { Values } from '../connection/statement.js';
import { META } from '../connection/names.js';

/** Begins their names among the engine's nodes. */
const PREFIX = 'note:';
const PATIENCE = 30_000;

const GET = `MATCH (n:${META} {name: $name}) RETURN n.text`;
const CLAIM = `MERGE (n:${META} {name: $name}) ON CREATE SET n.text = $text RETURN n.text`;
const SET = `MERGE (n:${META} {name: $name}) SET n.text = $text`;
/** All of them, name and text. */
export const ALL_NOTES = `MATCH (n:${META}) WHERE n.name STARTS WITH '${PREFIX}' RETURN substring(n.name, ${String(PREFIX.length)}), n.text`;
/** Writes `$notes`, maps of name and text. */
export const SET_NOTES = `UNWIND $notes AS note MERGE (n:${META} {name: '${PREFIX}' + note.name}) SET n.text = note.text`;
export const DELETE_NOTES = `MATCH (n:${META}) WHERE n.name STARTS WITH '${PREFIX}' DELETE n`;

export class Neo4jNotes implements DatabaseNotes {
  constructor(private readonly database: Database) {}

  async get(name: string): Promise<string | undefined> {
    const [row] = await this.#run(GET, name, {}, false);
    return row === undefined ? undefined : String(row[0]);
  }

  async claim(name: string, text: string): Promise<string> {
    const [row] = await this.#run(CLAIM, name, { text }, true);
    return row === undefined ? text : String(row[0]);
  }

  async set(name: string, text: string): Promise<void> {
    await this.#run(SET, name, { text }, true);
  }

  #run(text: string, name: string, params: Record<string, unknown>, write: boolean): Promise<Values[]> {
    const statement = { text, params: { name: PREFIX + name, ...params } };
    return this.database.run(statement, { deadline: Date.now() + PATIENCE }, write);
  }
}
