// Writes a settings file over and over, with the texts it gets in turns, until it is killed: node conf-child.mjs PATH LINES
import { writeConfFile } from '../../dist/src/main/config/conf-store.js';

const [path = '', lines = '0'] = process.argv.slice(2);
const text = (name) =>
  `${`# ${name}: a line of a long file of settings\n`.repeat(Number(lines))}application.title = ${name}\n`;
process.stdout.write('writing\n');
for (;;) for (const name of ['old', 'new']) await writeConfFile(path, text(name));
