/*
 * Copies as `svc graph copy --resume` does, and tells of each batch once it is written, until it is killed.
 * Arguments: source, target.
 */
import { writeSync } from 'node:fs';
import { accessOf, copyGraph, placeOf } from '../../dist/src/main/graph-copy/index.js';

const access = await accessOf({}, process.env);
const [from, to] = [placeOf(process.argv[2], '--from', access), placeOf(process.argv[3], '--to', access)];
// Synchronous on purpose: what is printed must have left the process before the kill.
const reporter = { phase() {}, note() {}, end() {}, advance: () => writeSync(1, 'batch\n') };
await copyGraph({ from, to, resume: true, reporter });
writeSync(1, 'done\n');
