/** Lines in the text format of Prometheus (version 0.0.4). */

export type Labels = Readonly<Record<string, string>>;

const ESCAPED: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };

/** What stands before the lines of one metric. */
export function headOf(name: string, type: 'counter' | 'gauge' | 'histogram', help: string): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
}

export function sample(name: string, labels: Labels, value: number): string {
  const all = Object.entries(labels);
  const shown = all.map(([key, text]) => `${key}="${text.replace(/[\\"\n]/g, (c) => ESCAPED[c] ?? c)}"`).join(',');
  return `${name}${all.length === 0 ? '' : `{${shown}}`} ${Number.isFinite(value) ? String(value) : '+Inf'}\n`;
}

/** Lines of a histogram. `counted`: how many lie within each bound and not in the one before, the last beyond all. */
export function histogram(
  name: string,
  labels: Labels,
  bounds: readonly number[],
  counted: Float64Array,
  sum: number,
): string {
  let text = '';
  let within = 0;
  for (const [i, bound] of bounds.entries()) {
    within += counted[i] ?? 0;
    text += sample(`${name}_bucket`, { ...labels, le: String(bound) }, within);
  }
  within += counted[bounds.length] ?? 0;
  text += sample(`${name}_bucket`, { ...labels, le: '+Inf' }, within);
  return text + sample(`${name}_sum`, labels, sum) + sample(`${name}_count`, labels, within);
}
