import { logger } from '../shared/log.js';

const log = logger('main');
/** From this major version of Node on, V8 needs more stack to compile than isolated-vm leaves at the end of a thread's. */
const SHORT_STACKS_FROM = 24;

/** Says what is not as it should be on this Node (docs/platforms.md). */
export function tellPlatform(node: string = process.versions.node): void {
  if (Number.parseInt(node, 10) < SHORT_STACKS_FROM) return;
  log.warn(
    `Node ${node}: a script in JavaScript that compiles code at the end of its stack (eval in an endless recursion) ends the process; ` +
      'where not all authors of scripts are trusted, use Node 22 (docs/platforms.md)',
  );
}
