/** A secret from whoever started a command: typed without being shown, or the first line of a pipe. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

const LONGEST = 4096;

/**
 * Asks on the terminal, twice, until both are the same; without a terminal the first line of the standard input counts. Undefined when
 * nothing was given or it was broken off.
 */
export async function askNewSecret(what: string): Promise<string | undefined> {
  const { stdin } = process;
  if (!stdin.isTTY) return firstLine(stdin);
  for (;;) {
    const first = await askHidden(`${what}: `);
    if (first === undefined || first === '') return undefined;
    const second = await askHidden('The same again: ');
    if (second === undefined) return undefined;
    if (first === second) return first;
    process.stderr.write('These are not the same. Try again.\n');
  }
}

/** Asks on the terminal, once; without one the first line of the standard input counts. Undefined when nothing was given. */
export async function askSecret(what: string): Promise<string | undefined> {
  const secret = process.stdin.isTTY ? await askHidden(`${what}: `) : await firstLine(process.stdin);
  return secret === '' ? undefined : secret;
}

async function askHidden(prompt: string): Promise<string | undefined> {
  process.stderr.write(prompt);
  const nowhere = new Writable({
    write: (_chunk, _encoding, done) => {
      done();
    },
  });
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  const ending = new AbortController();
  terminal.once('close', () => {
    ending.abort();
  });
  terminal.once('SIGINT', () => {
    terminal.close();
  });
  try {
    return await terminal.question('', { signal: ending.signal });
  } catch {
    return undefined;
  } finally {
    terminal.close();
    process.stderr.write('\n');
  }
}

async function firstLine(input: NodeJS.ReadStream): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of input as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (chunk.includes(0x0a) || length > LONGEST) break;
  }
  const line = Buffer.concat(chunks).toString('utf8').split('\n', 1)[0]?.replace(/\r$/, '') ?? '';
  return line === '' || line.length > LONGEST ? undefined : line;
}
