/** The baseline of pages: a template filled for each request with rows that better-sqlite3 reads, behind uWebSockets.js. */
import ejs from 'ejs';
import { Eta } from 'eta';
import Handlebars from 'handlebars';
import uws from 'uWebSockets.js';
import { Library } from '../../src/main/graph/sqlite/connection/library.js';
import { serve } from '../child.js';
import { pageTemplate, type PageEngine, type Row } from '../pages/templates.js';
import { SHOWN } from '../pages/trees.js';

export interface PagesOrder {
  readonly engine: PageEngine;
  readonly name: string;
  readonly scripts: boolean;
  /** Where the database goes. */
  readonly file: string;
  readonly rows: readonly (Row & { readonly rank: number })[];
}

export interface PagesResult {
  readonly text: string;
  readonly port: number;
}

type Render = (rows: readonly Row[]) => string;

function renderer(engine: PageEngine, template: string): Render {
  if (engine === 'ejs') {
    const render = ejs.compile(template, { destructuredLocals: ['rows'], _with: false });
    return (rows) => render({ rows });
  }
  if (engine === 'eta') {
    const eta = new Eta({ autoTrim: false });
    const render = eta.compile(template);
    return (rows) => render.call(eta, { rows });
  }
  const own = Handlebars.create();
  own.registerHelper({ upper: (text: string) => text.toUpperCase() });
  const render = own.compile<{ rows: readonly Row[] }>(template);
  return (rows) => render({ rows });
}

serve<PagesOrder, PagesResult>(({ engine, name, scripts, file, rows }) => {
  const database = new Library(file);
  database.exec(
    'CREATE TABLE row (id TEXT PRIMARY KEY, name TEXT, code TEXT, rank INTEGER, active INTEGER, note TEXT);' +
      'CREATE INDEX row_rank ON row (rank)',
  );
  const insert = database.prepare('INSERT INTO row VALUES (?, ?, ?, ?, ?, ?)');
  database.transaction(() => {
    for (const row of rows) insert.run(row.id, row.name, row.code, row.rank, row.active, row.note);
  })();
  const select = database.prepare<[], Row>(
    `SELECT id, name, code, active, note FROM row ORDER BY rank LIMIT ${String(SHOWN)}`,
  );
  const render = renderer(engine, pageTemplate(engine, name, scripts));
  const text = render(select.all());
  return new Promise((resolve, reject) => {
    uws
      .App()
      .get('/*', (res) => {
        res.writeHeader('Content-Type', 'text/html;charset=UTF-8').end(render(select.all()));
      })
      .listen('127.0.0.1', 0, (socket) => {
        if (socket === false) reject(new Error('no free port'));
        else resolve({ text, port: uws.us_socket_local_port(socket) });
      });
  });
});
