/** Says where the time of a CPU profile went. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** Not the server's own doing. */
const IDLE = '(idle)';
const SHOWN = 30;

function place(url: string, line: number): string {
  const file = url.replace(/^.*\/(dist\/src|node_modules)\//, '$1/').replace('dist/src/', '');
  return file === '' ? '' : `${file}:${String(line + 1)}`;
}

/** The functions with the most time of their own, as lines of text. */
export function summarize(profile: Profile): string[] {
  const names = new Map(
    profile.nodes.map((n) => [
      n.id,
      `${n.callFrame.functionName || '(anonymous)'}  ${place(n.callFrame.url, n.callFrame.lineNumber)}`,
    ]),
  );
  const times = new Map<string, number>();
  let busy = 0;
  profile.samples.forEach((id, i) => {
    const name = names.get(id) ?? '?';
    const time = Math.max(0, profile.timeDeltas[i] ?? 0);
    if (name.startsWith(IDLE)) return;
    busy += time;
    times.set(name, (times.get(name) ?? 0) + time);
  });
  const top = [...times].sort((a, b) => b[1] - a[1]).slice(0, SHOWN);
  return [
    `busy for ${(busy / 1e6).toFixed(1)} s`,
    ...top.map(([name, time]) => `${((time / busy) * 100).toFixed(1).padStart(5)} %  ${name}`),
  ];
}

/** Summaries of the main threads' profiles of a folder, one a file. */
export async function summarizeFolder(folder: string): Promise<string> {
  const parts: string[] = [];
  for (const name of (await readdir(folder)).filter((n) => n.endsWith('.cpuprofile')).sort()) {
    parts.push(name, ...summarize(JSON.parse(await readFile(join(folder, name), 'utf8')) as Profile), '');
  }
  return parts.join('\n');
}
