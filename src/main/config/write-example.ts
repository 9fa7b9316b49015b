/** `npm run settings:example`: writes the example of a settings file to the path it is given. */
import { writeFile } from 'node:fs/promises';
import { argv } from 'node:process';
import { exampleConf } from './example.js';

await writeFile(argv[2] ?? 'svc.conf.example', exampleConf());
