import type { Analytics } from '../analytics/index.js';
import type { Config } from '../config/index.js';
import type { Cluster } from '../cluster/index.js';
import type { Files } from '../files/index.js';
import type { Graph, ReadTransaction } from '../graph/index.js';
import type { Media, Missing } from '../media/index.js';
import type { Live } from '../live/index.js';
import type { AccessStatistics, LogTail, RuntimeEvents } from '../monitoring/index.js';
import type { Migrations, Threads } from '../maintenance/index.js';
import type { Entered, RequestContext, Requests } from '../request/index.js';
import type { Schema, SchemaService, Type, WriteOptions } from '../schema/index.js';
import type { Scripting } from '../scripting/index.js';
import type { Security } from '../security/index.js';
import type { BodyLimits } from './request/request-body.js';
import type { Deployments } from '../deployment/index.js';
import type { Geocoder } from './geocoder/geocoder.js';
import { AnswerMemory, type HeldObjects } from './answer/held-objects.js';
import type { Parameters } from './request/parameters.js';
import type { MaintenanceMode, Services } from '../services/index.js';
import type { RequestBody } from './request/request-body.js';

/** What the REST room works with; built once by the composition root. */
export interface RestServices {
  readonly config: Config;
  readonly graph: Graph;
  readonly cluster: Cluster;
  readonly schemas: SchemaService;
  readonly security: Security;
  readonly requests: Requests;
  readonly files: Files;
  readonly media: Media;
  readonly scripting: Scripting;
  readonly threads: Threads;
  readonly deployments: Deployments;
  readonly migrations: Migrations;
  readonly geocoder: Geocoder | undefined;
  readonly live: Live;
  readonly analytics: Analytics;
  readonly events: RuntimeEvents;
  readonly statistics: AccessStatistics;
  readonly logTail: LogTail;
  /** Services of `configured.services`. */
  readonly running: Services;
  readonly maintenanceMode: MaintenanceMode;
  readonly version: string;
  readonly startedAt: Date;
  /** This thread only reads, and has no more of the rooms than that takes (docs/design/threads.md). */
  readonly isFrontEnd?: boolean;
}

/** Settings that requests read, as they were when the request began; see `restSettings`. */
export interface RestSettings {
  readonly softLimit: number;
  readonly defaultView: string;
  readonly outputDepth: number;
  readonly outputTimeout: number;
  readonly reductionDepth: number;
  readonly reduceRepeated: boolean;
  readonly indent: boolean;
  readonly body: BodyLimits;
  readonly legacyParameters: boolean;
  readonly write: WriteOptions;
}

/** One REST request on its way through the room. */
export interface RestRequest extends RequestContext {
  readonly services: RestServices;
  readonly settings: RestSettings;
  /** Path after `/svc/rest` without the view segment, decoded; begins with `/`. */
  readonly path: string;
  readonly view: string;
  /** The path names the view; else it is the default. */
  readonly viewInPath: boolean;
  readonly parameters: Parameters;
  /** Parsed body of POST, PUT and PATCH: the objects it holds (docs/interface/rest.md 2.1). */
  readonly body: RequestBody;
  /** `performance.now()` at arrival. */
  readonly startedAt: number;
  /** Large objects that answers of this server keep. */
  readonly held: HeldObjects;
  /** What the answer keeps; absent until it keeps something. See `memoryOf`. */
  memory: AnswerMemory | undefined;
  /** What the answer is being read with, where that has to be confirmed before something leaves. */
  reading: ReadTransaction | undefined;
  /** Thumbnails that the answer lacks, where they can be made before something leaves. */
  missing: Missing | undefined;
}

/** Where an answer counts what it keeps in memory while it leaves. */
export function memoryOf(request: RestRequest): AnswerMemory {
  return (request.memory ??= new AnswerMemory(request.held, request.exchange.answerShare));
}

/** A request that was let in and is to be answered at once, if it can. */
export interface PromptRequest {
  /** With the view of its path. */
  readonly entered: Entered<{ readonly view: string }>;
  readonly services: RestServices;
  readonly settings: RestSettings;
  /** `performance.now()` at arrival. */
  readonly startedAt: number;
}

export type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What a path resolved to: which permission it needs and what each verb does. */
export interface Resource {
  /** Signature without the view (docs/interface/rest.md 1.3). */
  readonly signature: string;
  /** Value of the `Allow` header. */
  readonly allow: readonly string[];
  readonly verbs: { readonly [verb in Verb]?: (request: RestRequest) => Promise<void> };
  /** What reading shows is in the graph and the schema alone: any thread may answer. `type`: of the objects shown; undefined: of any. */
  readonly anywhere?: { readonly type: Type | undefined };
  /** GET where nothing has to be waited for: the text of the answer; undefined: `verbs` answers. */
  readonly atOnce?: (request: PromptRequest) => string | undefined;
  /** Of a list of all objects of a type: this type. */
  readonly listOf?: Type;
  /** Of one object of a type, by its id: this type. */
  readonly oneOf?: Type;
  /** Largest body, bytes, where that is less than elsewhere. */
  readonly bodyLimit?: number;
  /** Query parameters beyond the reserved ones are filters and must be keys of the type. */
  readonly notAllowedMessage?: (verb: string) => string;
}

/** Tries to make a resource of path segments; undefined lets the next kind try (docs/interface/rest.md 1.1). */
export type Resolver = (segments: readonly string[], schema: Schema, settings: RestSettings) => Resource | undefined;
