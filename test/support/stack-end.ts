/**
 * On Node 24 and newer V8 needs more stack to compile a function than isolated-vm leaves (24 KB) at the end of a thread's: scripts that
 * compile there end the process (docs/platforms.md). Tests that do it are skipped there.
 */
export const survivesStackEnd = Number.parseInt(process.versions.node, 10) < 24;
