/** The library for isolates of V8, in the version for this Node (src/shared/native). Throws `NativeError` while it loads. */
import { setFlagsFromString } from 'node:v8';
import type ivm from 'isolated-vm';
import { loadNative } from '../../../../../shared/native/index.js';

/** From this major version of Node on, V8 leaves out the interrupt check of loops that have no end but hold a short one (`new Array(1000)`). */
const UNROLLS_FROM = 24;

// Nothing could end such a loop once it is optimised, neither its time nor its memory. Before the first isolate, as code keeps its flags.
if (Number.parseInt(process.versions.node, 10) >= UNROLLS_FROM) setFlagsFromString('--no-turboshaft-loop-unrolling');

export const library = loadNative('isolated-vm') as typeof ivm;
