/** Events as the stream has them (HTML standard, server-sent events; docs/interface/live.md 2). */

const END = '\r\n';
/** Line ends of each kind: a text must not begin a field of its own. */
const LINES = /\r\n|\r|\n/;

/** Keeps a connection that says nothing, and shows one that is gone. */
export const HEARTBEAT = `:${END}${END}`;

/** One event. A name is one line: what follows its first line end is left out. */
export function frame(name: string, data: string): string {
  const lines = data.split(LINES).map((line) => `data: ${line}${END}`);
  return `event: ${name.split(LINES, 1)[0] ?? ''}${END}${lines.join('')}${END}`;
}

/** What a client sends as `Last-Event-ID` when it comes back. Sets off no event by itself. */
export function idFrame(id: number): string {
  return `id: ${String(id)}${END}${END}`;
}
