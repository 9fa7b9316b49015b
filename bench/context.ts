/** What the cases share: databases and servers made once, and the ways of measuring. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Child } from './child.js';
import type { LoadOrder, LoadResult } from './children/load-order.js';
import { loadDataset, type Dataset } from './dataset.js';
import type { Options } from './options.js';
import { cpuSeconds } from './process-figures.js';
import { CREDENTIALS, ServerProcess, type ServerSettings } from './server-process.js';

/** Measurements before those that count, at most; and by how much one must be better for more to follow. */
const MOST_WARMING = 10;
const STILL_BETTER = 1.03;

/** One measured value, bigger or smaller being better as the case says. */
export interface Sample {
  readonly value: number;
  /** CPU time of the answering process a request, in microseconds; undefined where the system does not tell. */
  readonly cpu?: number | undefined;
  /** The same of what sends the requests. */
  readonly sending?: number | undefined;
}

export interface Series {
  readonly median: number;
  readonly cpu?: number | undefined;
  readonly sending?: number | undefined;
  readonly samples: readonly number[];
}

/** A process that answers HTTP. */
export interface Target {
  readonly url: string;
  readonly pid: number;
}

export type Requests = Pick<LoadOrder, 'method' | 'requests'> & {
  readonly connections?: number;
  /** Who asks; absent: the initial administrator, by header. */
  readonly headers?: LoadOrder['headers'];
  /** What sends them, whatever the options say. */
  readonly tool?: LoadOrder['tool'];
  /** 0: nothing is sent before what counts, as where the server is warm already. */
  readonly warm?: LoadOrder['warm'];
};

export class Context {
  private readonly datasets = new Map<number, Dataset>();
  private readonly servers = new Map<Dataset, ServerProcess>();
  private files: ServerProcess | undefined;

  constructor(
    readonly options: Options,
    /** A temporary folder of this run. */
    readonly folder: string,
    /** Where CPU profiles go. */
    readonly profileFolder: string,
    /** Lines of svc.conf that say where the data are kept. */
    readonly settings: ServerSettings,
    readonly say: (text: string) => void,
  ) {}

  /** A database with so many objects; loaded when first asked for. */
  async dataset(objects: number): Promise<Dataset> {
    const known = this.datasets.get(objects);
    if (known !== undefined) return known;
    this.say(`loading ${objects.toLocaleString('en')} objects ...`);
    const folder = join(this.folder, `objects-${String(objects)}`);
    const dataset = await loadDataset(folder, objects, this.options.quick, this.settings);
    this.say(`  ${Math.round(objects / dataset.seconds).toLocaleString('en')} objects/s`);
    this.datasets.set(objects, dataset);
    return dataset;
  }

  /** The running server of a dataset. It has loaded nothing itself, as one that was started in the morning. */
  async server(dataset: Dataset): Promise<ServerProcess> {
    const known = this.servers.get(dataset);
    if (known !== undefined) return known;
    const server = await ServerProcess.start(dataset.folder, await this.profiling(), this.settings);
    this.servers.set(dataset, server);
    return server;
  }

  /** The running server of the cases about files, which begins with an empty database. */
  async fileServer(): Promise<ServerProcess> {
    if (this.files === undefined) {
      const folder = join(this.folder, 'files-server');
      await mkdir(folder, { recursive: true });
      const limits = { 'uploadservlet.maxfilesize': 2000, 'uploadservlet.maxrequestsize': 2000 };
      this.files = await ServerProcess.start(folder, await this.profiling(), { ...this.settings, ...limits });
    }
    return this.files;
  }

  async stopFileServer(): Promise<void> {
    const server = this.files;
    this.files = undefined;
    await server?.stop();
  }

  private async profiling(): Promise<string[]> {
    if (!this.options.profile) return [];
    await mkdir(this.profileFolder, { recursive: true });
    return ['--cpu-prof', `--cpu-prof-dir=${this.profileFolder}`, '--cpu-prof-interval=500'];
  }

  async stopServer(dataset: Dataset): Promise<void> {
    const server = this.servers.get(dataset);
    this.servers.delete(dataset);
    await server?.stop();
  }

  async stopAll(): Promise<void> {
    for (const dataset of [...this.servers.keys()]) await this.stopServer(dataset);
    await this.stopFileServer();
  }

  /** One measurement of load, from a new process. */
  async load(
    target: Target,
    requests: Requests,
    seconds = this.options.seconds,
  ): Promise<{ result: LoadResult; cpu: number | undefined }> {
    const child = new Child<LoadOrder, LoadResult>('load');
    try {
      const before = cpuSeconds(target.pid);
      const result = await child.call({
        tool: this.options.load,
        url: target.url,
        seconds,
        warm: Math.min(1, seconds / 2),
        headers: { ...CREDENTIALS, 'content-type': 'application/json' },
        connections: this.options.connections,
        ...requests,
      });
      const after = cpuSeconds(target.pid);
      const cpu = before === undefined || after === undefined ? undefined : ((after - before) / result.answers) * 1e6;
      return { result, cpu };
    } finally {
      await child.end();
    }
  }

  /** The same as a sample of requests a second. */
  async rate(target: Target, requests: Requests, seconds?: number): Promise<Sample> {
    const { result, cpu } = await this.load(target, requests, seconds);
    return { value: result.rate, cpu, sending: result.cpu };
  }

  /**
   * Lets the engine compile what is about to be measured. That goes on for tens of seconds where much code takes part; the
   * first figures would tell of it more than of the work.
   */
  async warm(target: Target, requests: Requests): Promise<void> {
    await this.settle(() => this.rate(target, requests, Math.min(3, this.options.seconds)));
  }

  /** Repeats a measurement for as long as it becomes better by itself. */
  async settle(measure: () => Promise<Sample>): Promise<void> {
    if (this.options.quick) return;
    let best = 0;
    for (let i = 0, same = 0; i < MOST_WARMING && same < 2; i++) {
      const { value } = await measure();
      same = value < best * STILL_BETTER ? same + 1 : 0;
      best = Math.max(best, value);
    }
  }

  /**
   * Measures two sides in turns, so that a machine that is slow for a while is slow for both; the medians count.
   */
  async compare(
    baseline: () => Promise<Sample>,
    svc: () => Promise<Sample>,
  ): Promise<{ baseline: Series; svc: Series }> {
    const [a, b]: [Sample[], Sample[]] = [[], []];
    for (let i = 0; i < this.options.rounds; i++) {
      a.push(await baseline());
      b.push(await svc());
    }
    return { baseline: series(a), svc: series(b) };
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}

export function series(samples: readonly Sample[]): Series {
  const cpu = samples.flatMap((s) => s.cpu ?? []);
  const sending = samples.flatMap((s) => s.sending ?? []);
  return {
    median: median(samples.map((s) => s.value)),
    samples: samples.map((s) => s.value),
    ...(cpu.length > 0 ? { cpu: median(cpu) } : {}),
    ...(sending.length > 0 ? { sending: median(sending) } : {}),
  };
}
