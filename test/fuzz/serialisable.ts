/**
 * Looks for anomalies in what clients saw of lists to which each transaction appends values of its own. As every value is
 * unique, a list tells who wrote before whom; what was read tells who came before and after whom. Transactions are
 * serialisable, in an order that their times agree with, when these dependencies have no cycle.
 */

export type Operation =
  | { readonly append: string; readonly key: string }
  /** What was seen, in order. */
  | { readonly read: readonly string[]; readonly key: string };

export interface Transaction {
  readonly name: string;
  /** `unknown`: nobody was told how it ended. */
  readonly outcome: 'ok' | 'failed' | 'unknown';
  /** By one clock of whoever asked. */
  readonly began: number;
  readonly ended: number;
  /** In order. What an unknown one has read is not known. */
  readonly operations: readonly Operation[];
}

export interface Anomaly {
  readonly kind:
    | 'aborted read'
    | 'intermediate read'
    | 'value from nowhere'
    | 'incompatible orders'
    | 'lost write'
    | 'repeated write'
    | 'half a transaction'
    | 'own write not seen'
    /** Only writes, and reads of what was written: no order of the transactions at all. */
    | 'cycle of writes and reads'
    /** One has read what another overwrote: lost update, read skew, what is no longer true. */
    | 'lost update or read skew'
    /** Several have: each read what the other changed. */
    | 'write skew'
    /** There is an order, but not the one in which clients did it. */
    | 'against time';
  readonly what: string;
}

type EdgeKind = 'ww' | 'wr' | 'rw' | 'time';

/**
 * `final`: the lists as they are at the end, read when all is over. Returns what cannot have happened in any order of whole
 * transactions that agrees with their times.
 */
export function anomalies(history: readonly Transaction[], final: ReadonlyMap<string, readonly string[]>): Anomaly[] {
  const found: Anomaly[] = [];
  const report = (kind: Anomaly['kind'], what: string): void => {
    found.push({ kind, what });
  };
  const writers = new Map<string, Transaction>();
  for (const one of history)
    for (const operation of one.operations) if ('append' in operation) writers.set(valueOf(operation), one);
  const counting = committed(history, final, report);
  for (const [key, list] of final) checkList('the end', key, list, writers, counting, report);
  for (const one of counting) {
    for (const { key, list, own } of externalReads(one, report)) {
      checkList(one.name, key, list, writers, counting, report);
      const end = final.get(key) ?? [];
      if (list.some((value, i) => end[i] !== value))
        report('incompatible orders', `${one.name} saw ${key} as ${list.join()}, the end is ${end.join()}`);
      if (own > 0) continue;
      const last = list.at(-1);
      const writer = last === undefined ? undefined : writers.get(`${key} ${last}`);
      const after = end[list.length];
      const same = writer !== undefined && after !== undefined && writers.get(`${key} ${after}`) === writer;
      if (same && writer !== one) report('intermediate read', `${one.name} saw ${key} in the middle of ${writer.name}`);
    }
  }
  // Orders that contradict each other make dependencies that say nothing.
  return found.length > 0 ? found : cycles(counting, final, writers);
}

type Report = (kind: Anomaly['kind'], what: string) => void;

const valueOf = ({ key, append }: { key: string; append: string }): string => `${key} ${append}`;

/** Transactions that count: those that are known to have happened, and those whose writes are there. */
function committed(
  history: readonly Transaction[],
  final: ReadonlyMap<string, readonly string[]>,
  report: Report,
): Set<Transaction> {
  const there = new Set([...final].flatMap(([key, list]) => list.map((value) => `${key} ${value}`)));
  // What was seen has happened, although another may have written over it: that is a lost write then, and no dirty read.
  const seen = new Set<string>();
  for (const { operations } of history)
    for (const one of operations) if ('read' in one) for (const value of one.read) seen.add(`${one.key} ${value}`);
  const counting = new Set<Transaction>();
  for (const one of history) {
    const writes = one.operations.filter((operation) => 'append' in operation).map(valueOf);
    const lost = writes.filter((value) => !there.has(value));
    if (one.outcome === 'ok') {
      counting.add(one);
      for (const value of lost) report('lost write', `${value} of ${one.name}`);
    } else if (one.outcome === 'unknown' && writes.some((value) => there.has(value) || seen.has(value))) {
      counting.add(one);
      for (const value of lost.filter((value) => seen.has(value))) report('lost write', `${value} of ${one.name}`);
      const never = lost.filter((value) => !seen.has(value));
      if (never.length > 0) report('half a transaction', `${one.name} without ${never.join()}`);
    }
  }
  return counting;
}

function checkList(
  who: string,
  key: string,
  list: readonly string[],
  writers: ReadonlyMap<string, Transaction>,
  counting: ReadonlySet<Transaction>,
  report: Report,
): void {
  if (new Set(list).size < list.length) report('repeated write', `${who} saw ${key} as ${list.join()}`);
  for (const value of list) {
    const writer = writers.get(`${key} ${value}`);
    if (writer === undefined) report('value from nowhere', `${who} saw ${value} in ${key}`);
    else if (!counting.has(writer)) report('aborted read', `${who} saw ${value} of ${writer.name} in ${key}`);
  }
}

/** What a transaction saw of others: without what it has appended itself before. */
function externalReads(
  { name, operations }: Transaction,
  report: Report,
): { key: string; list: readonly string[]; own: number }[] {
  const appended = new Map<string, string[]>();
  const reads: { key: string; list: readonly string[]; own: number }[] = [];
  for (const operation of operations) {
    const own = appended.get(operation.key) ?? [];
    if ('append' in operation) {
      appended.set(operation.key, [...own, operation.append]);
      continue;
    }
    const begin = operation.read.length - own.length;
    if (own.some((value, i) => operation.read[begin + i] !== value))
      report('own write not seen', `${name} saw ${operation.key} as ${operation.read.join()}`);
    else reads.push({ key: operation.key, list: operation.read.slice(0, begin), own: own.length });
  }
  return reads;
}

class Dependencies {
  readonly edges: Map<number, EdgeKind>[] = [];

  add(from: number, to: number, kind: EdgeKind): void {
    if (from === to) return;
    const own = (this.edges[from] ??= new Map<number, EdgeKind>());
    // What says most: a dependency that needs no reader's word.
    const known = own.get(to);
    if (known === undefined || STRENGTH[kind] > STRENGTH[known]) own.set(to, kind);
  }

  next(from: number): Iterable<number> {
    return this.edges[from]?.keys() ?? [];
  }
}

const STRENGTH: Readonly<Record<EdgeKind, number>> = { time: 0, rw: 1, wr: 2, ww: 3 };

function cycles(
  counting: ReadonlySet<Transaction>,
  final: ReadonlyMap<string, readonly string[]>,
  writers: ReadonlyMap<string, Transaction>,
): Anomaly[] {
  const list = [...counting];
  const numbers = new Map(list.map((one, i) => [one, i]));
  const numberOf = (key: string, value: string | undefined): number | undefined => {
    const writer = value === undefined ? undefined : writers.get(`${key} ${value}`);
    return writer === undefined ? undefined : numbers.get(writer);
  };
  const graph = new Dependencies();
  const add = (from: number | undefined, to: number | undefined, kind: EdgeKind): void => {
    if (from !== undefined && to !== undefined) graph.add(from, to, kind);
  };
  for (const [key, values] of final)
    for (let i = 1; i < values.length; i++) add(numberOf(key, values[i - 1]), numberOf(key, values[i]), 'ww');
  for (const [i, one] of list.entries()) {
    for (const { key, list: seen } of externalReads(one, () => undefined)) {
      add(numberOf(key, seen.at(-1)), i, 'wr');
      add(i, numberOf(key, final.get(key)?.[seen.length]), 'rw');
    }
  }
  addTimes(list, graph);
  const name = (i: number): string => list[i]?.name ?? 'time';
  return components(graph).map((members) => {
    const path = shortestCycle(graph, members);
    const kinds = path.map((from, i) => graph.edges[from]?.get(path[(i + 1) % path.length] ?? -1) ?? 'time');
    const told = path.map((one, i) => `${name(one)} -${kinds[i] ?? ''}->`).filter((step) => !step.startsWith('time'));
    const reads = kinds.filter((kind) => kind === 'rw').length;
    const kind: Anomaly['kind'] = kinds.includes('time')
      ? 'against time'
      : reads === 0
        ? 'cycle of writes and reads'
        : reads === 1
          ? 'lost update or read skew'
          : 'write skew';
    return { kind, what: told.join(' ') };
  });
}

/** Who had ended before another began comes before it. Moments are nodes in a row, so that there are few edges. */
function addTimes(list: readonly Transaction[], graph: Dependencies): void {
  const ends = list
    .flatMap(({ ended, outcome }, i) => (outcome === 'ok' ? [{ i, ended }] : []))
    .sort((a, b) => a.ended - b.ended);
  const moment = (at: number): number => list.length + at;
  for (const [at, { i }] of ends.entries()) {
    graph.add(i, moment(at), 'time');
    if (at > 0) graph.add(moment(at - 1), moment(at), 'time');
  }
  const begins = list.map(({ began }, i) => ({ i, began })).sort((a, b) => a.began - b.began);
  let before = -1;
  for (const { i, began } of begins) {
    while ((ends[before + 1]?.ended ?? Infinity) < began) before++;
    if (before >= 0) graph.add(moment(before), i, 'time');
  }
}

/** Sets of nodes that each lead to all others of their set; without those of one. Tarjan's, without recursion. */
function components(graph: Dependencies): number[][] {
  const found: number[][] = [];
  const index = new Map<number, number>();
  const low = new Map<number, number>();
  const stack: number[] = [];
  const onStack = new Set<number>();
  for (const root of graph.edges.keys()) {
    if (index.has(root)) continue;
    const work: { node: number; next: Iterator<number> }[] = [];
    const enter = (node: number): void => {
      index.set(node, index.size);
      low.set(node, index.size - 1);
      stack.push(node);
      onStack.add(node);
      work.push({ node, next: graph.next(node)[Symbol.iterator]() });
    };
    enter(root);
    for (let top = work.at(-1); top !== undefined; top = work.at(-1)) {
      const { node } = top;
      const step = top.next.next();
      if (step.done !== true) {
        if (!index.has(step.value)) enter(step.value);
        else if (onStack.has(step.value)) low.set(node, Math.min(low.get(node) ?? 0, index.get(step.value) ?? 0));
        continue;
      }
      work.pop();
      const above = work.at(-1)?.node;
      if (above !== undefined) low.set(above, Math.min(low.get(above) ?? 0, low.get(node) ?? 0));
      if (low.get(node) !== index.get(node)) continue;
      const members: number[] = [];
      for (let one = stack.pop(); one !== undefined; one = stack.pop()) {
        onStack.delete(one);
        members.push(one);
        if (one === node) break;
      }
      if (members.length > 1) found.push(members);
    }
  }
  return found;
}

/** Without moments where there is such a one: what needs no clock says more. */
function shortestCycle(graph: Dependencies, members: readonly number[]): number[] {
  const inside = new Set(members);
  let best: { path: number[]; timed: boolean } | undefined;
  for (const timed of [false, true]) {
    for (const start of members.slice(0, 200)) {
      const path = wayBack(graph, start, inside, timed);
      if (path !== undefined && (best === undefined || path.length < best.path.length)) best = { path, timed };
    }
    if (best !== undefined) break;
  }
  return best?.path ?? [...members];
}

function wayBack(
  graph: Dependencies,
  start: number,
  inside: ReadonlySet<number>,
  timed: boolean,
): number[] | undefined {
  const from = new Map<number, number>();
  const queue = [start];
  for (const node of queue) {
    for (const [to, kind] of graph.edges[node] ?? []) {
      if (!inside.has(to) || (!timed && kind === 'time')) continue;
      if (to === start) {
        const path = [node];
        for (let at = node; at !== start; path.unshift(at)) at = from.get(at) ?? start;
        return path;
      }
      if (from.has(to)) continue;
      from.set(to, node);
      queue.push(to);
    }
  }
  return undefined;
}
