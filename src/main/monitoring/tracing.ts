/**
 * Traces by the SDK of OpenTelemetry (docs/interface/monitoring.md 10): a span for each request, and one below it for each of its transactions. The
 * packages are optional, and loaded where the settings want traces; where they do not, nothing of this is in the way of a request.
 */
import { logger } from '../../shared/log.js';
import { MissingPackageError, optional } from '../../shared/optional-package.js';
import type { Config } from '../config/index.js';
import type { Exchange, Handler } from '../http/index.js';

const log = logger('monitoring.tracing');
/** Milliseconds between two lines about spans that nobody takes. */
const BETWEEN = 60_000;
/** Milliseconds that the last spans have to leave when the service stops. */
const LAST = 3000;

type Packages = Awaited<ReturnType<typeof load>>;
type Span = ReturnType<ReturnType<Packages['api']['trace']['getTracer']>['startSpan']>;

export class Tracing {
  readonly #tracer;

  private constructor(
    private readonly packages: Packages,
    private readonly provider: InstanceType<Packages['sdk']['NodeTracerProvider']>,
  ) {
    this.#tracer = provider.getTracer('svc');
  }

  /** Undefined: the settings want none, or a package is missing, which the log says. */
  static async open(config: Config, version: string): Promise<Tracing | undefined> {
    if (!config.get('tracing.enabled')) return undefined;
    let packages: Packages;
    try {
      packages = await load();
    } catch (error) {
      if (!(error instanceof MissingPackageError)) throw error;
      log.error(`there are no traces: ${error.message}`);
      return undefined;
    }
    const { api, sdk, exporter, resources } = packages;
    let toldAt = -BETWEEN;
    const tell = (message: string): void => {
      const now = performance.now();
      if (now - toldAt < BETWEEN) return;
      toldAt = now;
      log.warn(`traces are lost: ${message.slice(0, 500)}`);
    };
    const ignore = (): void => undefined;
    api.diag.setLogger({ error: tell, warn: tell, info: ignore, debug: ignore, verbose: ignore });
    const provider = new sdk.NodeTracerProvider({
      resource: resources.resourceFromAttributes({
        'service.name': config.get('tracing.servicename'),
        'service.version': version,
        'service.instance.id': config.get('application.instance.name'),
      }),
      // Whatever a client says of its trace: nobody from outside decides how much is recorded.
      sampler: new sdk.TraceIdRatioBasedSampler(config.get('tracing.sampling') / 100),
      spanProcessors: [new sdk.BatchSpanProcessor(new exporter.OTLPTraceExporter({ url: config.get('tracing.url') }))],
    });
    provider.register();
    log.info(`traces go to ${new URL(config.get('tracing.url')).origin}`);
    return new Tracing(packages, provider);
  }

  /** A span for each request that a handler answers. */
  wrap(handler: Handler): Handler {
    const { api } = this.packages;
    return (exchange) => {
      const above = api.propagation.extract(api.ROOT_CONTEXT, exchange, GETTER);
      const { method, scheme } = exchange;
      const span = this.#tracer.startSpan(
        method,
        { kind: api.SpanKind.SERVER, attributes: { 'http.request.method': method, 'url.scheme': scheme } },
        above,
      );
      return api.context.with(api.trace.setSpan(above, span), () => {
        try {
          const answering = handler(exchange);
          if (!(answering instanceof Promise)) {
            this.#end(span, exchange);
            return undefined;
          }
          return answering.finally(() => {
            this.#end(span, exchange);
          });
        } catch (error) {
          this.#end(span, exchange, 500);
          throw error;
        }
      });
    };
  }

  /** A transaction of the request that is being worked on has ended, which took so many milliseconds. */
  transaction(kind: 'read' | 'write', milliseconds: number, failed: boolean): void {
    const { api } = this.packages;
    const active = api.context.active();
    if (api.trace.getSpan(active)?.isRecording() !== true) return;
    const span = this.#tracer.startSpan(`${kind} transaction`, { startTime: Date.now() - milliseconds }, active);
    if (failed) span.setStatus({ code: api.SpanStatusCode.ERROR });
    span.end();
  }

  /** What has been recorded leaves, unless nobody takes it. */
  async stop(): Promise<void> {
    let late: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      late = setTimeout(resolve, LAST);
    });
    await Promise.race([this.provider.shutdown().catch(() => undefined), patience]);
    clearTimeout(late);
  }

  /** Paths are told as the metrics tell them: what clients write into them may be secret. */
  #end(span: Span, exchange: Exchange, status = exchange.status): void {
    const { method, place } = exchange;
    if (place !== undefined) {
      span.updateName(`${method} ${place}`);
      span.setAttribute('http.route', place);
    }
    span.setAttribute('http.response.status_code', status);
    if (status >= 500) span.setStatus({ code: this.packages.api.SpanStatusCode.ERROR });
    span.end();
  }
}

/** Reads headers for the SDK. */
const GETTER = {
  get: (exchange: Exchange, name: string): string | undefined => exchange.header(name.toLowerCase()) || undefined,
  keys: (): string[] => ['traceparent', 'tracestate'],
};

async function load() {
  return {
    api: await optional(() => import('@opentelemetry/api')),
    sdk: await optional(() => import('@opentelemetry/sdk-trace-node')),
    exporter: await optional(() => import('@opentelemetry/exporter-trace-otlp-http')),
    resources: await optional(() => import('@opentelemetry/resources')),
  };
}
