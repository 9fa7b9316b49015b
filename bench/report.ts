/** The table on the terminal and the result file. */
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Series } from './context.js';
import type { Options } from './options.js';
import type { Result } from './result.js';

function number(value: number): string {
  const digits = value < 10 ? 2 : value < 100 ? 1 : 0;
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function side(series: Series | undefined): string {
  if (series === undefined) return '';
  return series.cpu === undefined ? number(series.median) : `${number(series.median)} (${number(series.cpu)} µs)`;
}

function figure({ baseline, goal, figure: value, cpuFigure }: Result): string {
  if (baseline === undefined) return '';
  const text = (v: number): string => (goal.includes('%') ? `${number(v * 100)} %` : `${number(v)} ×`);
  return cpuFigure === undefined ? text(value) : `${text(value)} (${text(cpuFigure)})`;
}

export function table(results: readonly Result[]): string {
  const head = ['', 'work', 'unit', 'baseline', 'svc', 'ratio', 'goal', ''];
  const rows = results.map((r) => [
    String(r.case),
    r.title,
    r.unit,
    side(r.baseline),
    side(r.svc),
    figure(r),
    r.goal,
    r.met ? 'met' : 'MISSED',
  ]);
  const widths = head.map((h, i) => Math.max(...[head, ...rows].map((row) => (row[i] ?? h).length)));
  const left = new Set([1, 2, 7]);
  const line = (row: readonly string[]): string =>
    row
      .map((cell, i) => (left.has(i) ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join('  ')
      .trimEnd();
  const notes = results.flatMap((r) => {
    const parts = [r.baselineTitle === undefined ? '' : `baseline: ${r.baselineTitle}`, r.note ?? ''].filter(
      (p) => p !== '',
    );
    return parts.length === 0 ? [] : [`  ${String(r.case)}: ${parts.join('; ')}`];
  });
  return [
    line(head),
    ...rows.map(line),
    '',
    ...notes,
    '  in parentheses: CPU time of the server a request, and the ratio by it',
  ].join('\n');
}

function commit(): string | undefined {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}

/** Writes what is known so far to latest.json and, when asked to, a copy under a name; returns their paths. */
export async function writeResults(
  folder: string,
  options: Options,
  results: readonly Result[],
  syncMilliseconds: number,
): Promise<string[]> {
  const { seconds, rounds, connections, objects, readerObjects, sizes, quick, sync, load } = options;
  const content = {
    date: new Date().toISOString(),
    commit: commit(),
    node: process.version,
    machine: { cpu: cpus()[0]?.model, cores: cpus().length, memory: totalmem() },
    disk: { syncMilliseconds },
    options: {
      seconds,
      rounds,
      connections,
      objects,
      readerObjects,
      sizes,
      quick,
      load,
      ...(sync === undefined ? {} : { sync }),
    },
    results,
  };
  await mkdir(folder, { recursive: true });
  const names = ['latest', ...(options.save === undefined ? [] : [options.save])];
  const paths = names.map((name) => join(folder, `${name}.json`));
  for (const path of paths) await writeFile(path, `${JSON.stringify(content, undefined, 2)}\n`);
  return paths;
}
