/** Writes the documentation of the functions to the path it is given (`docs/functions.md`). */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { argv } from 'node:process';
import { functionDocs } from './docs.js';

const path = argv[2] ?? 'docs/functions.md';
await mkdir(dirname(path), { recursive: true });
await writeFile(path, functionDocs());
