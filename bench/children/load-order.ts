/** What a process that loads a server is told, and what it tells. */
type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

export type LoadTool = 'autocannon' | 'wrk';

export interface LoadOrder {
  readonly tool: LoadTool;
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  /** Seconds at the beginning that do not count: connecting, first answers. */
  readonly warm: number;
  /** Of requests that name none. */
  readonly method: Method;
  readonly headers: Readonly<Record<string, string>>;
  /** Each connection sends its own share of them (every `connections`th) over and over, in the order given. */
  readonly requests: readonly { readonly path: string; readonly body?: string; readonly method?: Method }[];
}

export interface LoadResult {
  /** Answers a second after the warm part. */
  readonly rate: number;
  /** All answers, those of the warm part too. */
  readonly answers: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Processor time of what sends the requests, in microseconds an answer; undefined where the system does not tell. */
  readonly cpu?: number | undefined;
}
