/*
 * Migrates a database with steps of its own, and kills itself at the moment whose number it is given: each piece has three, before its
 * transaction, within it, and behind it. Arguments: directory, moment. Prints `done` when it has come to the end.
 */
import { Config } from '../../dist/src/main/config/index.js';
import { openSqliteGraph } from '../../dist/src/main/graph/index.js';
import { END } from '../../dist/src/main/maintenance/migrations/step.js';
import { Migrations } from '../../dist/src/main/maintenance/migrations/migrations.js';
import { SchemaService } from '../../dist/src/main/schema/index.js';

const [path, last] = [process.argv[2], Number(process.argv[3])];
const config = Config.of({}, path);
const graph = await openSqliteGraph({ path });
const schemas = await SchemaService.start(graph, {
  dateFormat: 'yyyy',
  zonedDateTimeFormat: 'yyyy',
  timeZone: 'UTC',
  encryptionSecret: '',
  lenientJson: false,
});

let moments = 0;
function moment() {
  if (++moments === last) process.kill(process.pid, 'SIGKILL');
}

async function piece({ transaction }, position, names) {
  moment();
  await transaction(position, async (objects) => {
    for (const name of names) await objects.create(objects.schema.type('Folder'), { name });
    moment();
  });
  moment();
}

const step = (name, run) => ({ name, version: '0.1.0', kind: 'change', about: name, run });
const steps = [
  step('first', (work) => piece(work, END, ['first'])),
  step('large', async (work) => {
    for (let from = Number(work.position ?? 0); from < 4; from += 2) {
      await piece(work, from === 2 ? END : String(from + 2), [`f${from}`, `f${from + 1}`]);
    }
  }),
  step('last', (work) => piece(work, END, ['last'])),
];
const write = () => ({
  door: 'command',
  unknownKeys: 'ignore',
  idPattern: /^[0-9a-f]{32}$/,
  compactIds: true,
  emailPattern: /.*/,
});
const cluster = { isCoordinator: true };
await new Migrations({ config, graph, schemas, cluster, write }, { steps }).atStart();
await graph.close();
console.log('done');
process.exit(0);
