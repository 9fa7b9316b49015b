/** Keeps documents of the current schema as text, so that only the first request after a change pays for one. */
import type { Schema } from '../../schema/index.js';
import type { RestServices } from '../context.js';
import { restSettings } from '../settings.js';
import { readAnnotations } from './annotations.js';
import { documentBody, documentHead } from './document.js';
import type { DocumentSettings } from './paths/operation.js';
import { selectAll, selectTag, type Selection } from './selection.js';

/** Documents of tags kept at a time. */
const MAX_DOCUMENTS = 64;

/** What was made of one version of the schema, with one state of the settings. */
interface Generation {
  readonly key: string;
  readonly schema: Schema;
  readonly settings: DocumentSettings;
  readonly all: Promise<Selection>;
  /** By tag; undefined for the whole document. */
  readonly bodies: Map<string | undefined, Promise<readonly Buffer[]>>;
}

export class DocumentCache {
  private generation: Generation | undefined;

  constructor(private readonly services: RestServices) {
    services.graph.caches.add({ name: 'rest.documents', dependsOn: ['schema', 'settings'] });
  }

  /** Pieces of the document, whole or of a tag; undefined when nothing carries the tag. `serverUrl` is where the service is. */
  async document(tag: string | undefined, serverUrl: string): Promise<readonly Buffer[] | undefined> {
    const { config, version } = this.services;
    const body = await this.body(this.current(), tag);
    if (body === undefined) return undefined;
    const head = documentHead(
      config.get('openapiservlet.server.title'),
      config.get('openapiservlet.server.version') || version,
      serverUrl,
    );
    return [head, ...body];
  }

  private current(): Generation {
    const { config, graph, schemas } = this.services;
    const { defaultView, legacyParameters, write } = restSettings(config);
    const settings: DocumentSettings = {
      defaultView,
      legacyNames: legacyParameters,
      idPattern: write.idPattern.source,
    };
    const { schema } = schemas;
    const key = JSON.stringify([schema.version, settings]);
    if (this.generation?.key === key) return this.generation;
    // Annotations are schema objects as well: a change to one is a new version of the schema.
    const all = readAnnotations(graph).then((annotations) => selectAll(schema, annotations));
    const generation: Generation = { key, schema, settings, all, bodies: new Map() };
    this.generation = generation;
    all.catch(() => {
      this.forget(generation);
    });
    return generation;
  }

  private async body(generation: Generation, tag: string | undefined): Promise<readonly Buffer[] | undefined> {
    const { bodies, schema, settings } = generation;
    const known = bodies.get(tag);
    if (known !== undefined) return known;
    const all = await generation.all;
    const selection = tag === undefined ? all : selectTag(all, tag);
    if (selection === undefined) return undefined;
    // Another request may have begun while the annotations were being read.
    const begun = bodies.get(tag);
    if (begun !== undefined) return begun;
    const [oldest] = bodies.keys();
    if (bodies.size >= MAX_DOCUMENTS) bodies.delete(oldest);
    const body = documentBody(selection, schema, settings);
    bodies.set(tag, body);
    body.catch(() => {
      bodies.delete(tag);
    });
    return body;
  }

  private forget(generation: Generation): void {
    if (this.generation === generation) this.generation = undefined;
  }
}
