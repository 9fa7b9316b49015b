/** Methods and functions of users that are called by their names when something has happened (docs/interface/scripting.md 6.7). */
import type { Delivery, FileCallbacks } from '../../files/index.js';
import type { GraphNode } from '../../graph/index.js';
import { ALLOW_ALL, SYSTEM, type MethodDefinition, type ObjectTransaction, type Schema } from '../../schema/index.js';
import type { LoginListener } from '../../security/index.js';
import type { JsonObject } from '../../../shared/json/index.js';
import { logger } from '../../../shared/log.js';
import { fromJsonValue } from '../language/conversion.js';
import { logFailure } from '../run/failed-scripts.js';
import { methodOf, scriptTitle, titleOf } from '../run/methods.js';
import type { Runs } from './runs.js';
import type { Caller } from '../run/caller.js';
import type { ScriptMap, ScriptValue } from '../language/values.js';

const log = logger('scripting.callbacks');

const SUPERUSER: Caller = { actor: SYSTEM, access: ALLOW_ALL };
/** Methods that are told of downloads at a time; further downloads wait. */
const MOST_DOWNLOADS = 32;

/** Finds methods of one name by type, once a schema. */
class MethodsNamed {
  private readonly bySchema = new WeakMap<Schema, Map<string, MethodDefinition | undefined>>();

  constructor(private readonly name: string) {}

  of(schema: Schema, node: GraphNode): MethodDefinition | undefined {
    let byType = this.bySchema.get(schema);
    if (byType === undefined) this.bySchema.set(schema, (byType = new Map<string, MethodDefinition | undefined>()));
    if (byType.has(node.type)) return byType.get(node.type);
    const found = methodOf(schema, schema.typeOf(node), this.name);
    byType.set(node.type, found);
    return found;
  }
}

const onDownload = new MethodsNamed('onDownload');

/** Whether a method of users is told when this file has been delivered. */
export function hearsDownloads(schema: Schema, file: GraphNode): boolean {
  return onDownload.of(schema, file) !== undefined;
}

/** What goes wrong in any of them is logged, and nobody's request fails of it. */
export class Callbacks implements FileCallbacks, LoginListener {
  private readonly onUpload = new MethodsNamed('onUpload');
  private readonly onOAuthLogin = new MethodsNamed('onOAuthLogin');
  private downloads = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly scripting: Runs) {}

  async uploaded(file: GraphNode, objects: ObjectTransaction): Promise<void> {
    const { scripting } = this;
    const method = this.onUpload.of(objects.schema, file);
    if (method === undefined) return;
    const run = scripting.runOf(objects);
    const said = run.tokens.length;
    try {
      await scripting.engine.run(
        method,
        run.entities.of(file),
        new Map(),
        scripting.context(run, objects, method.name),
      );
    } catch (error) {
      logFailure(error, scriptTitle(method, file));
    }
    // What it says by error() is no reason to refuse the file.
    for (const { property, token } of run.tokens.splice(said)) {
      log.warn(`${titleOf(method)} of ${file.id} says: ${property ?? ''} ${token}`);
    }
  }

  delivering(file: GraphNode, reader: Caller): Promise<(delivery: Delivery) => Promise<void>> | undefined {
    const method = onDownload.of(this.scripting.parts.schemas.schema, file);
    if (method === undefined) return undefined;
    return this.room().then(() => (delivery) => this.delivered(method, file, reader, delivery));
  }

  /** Resolves when not too many are being told. */
  private async room(): Promise<void> {
    while (this.downloads >= MOST_DOWNLOADS) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  private async delivered(method: MethodDefinition, file: GraphNode, reader: Caller, told: Delivery): Promise<void> {
    this.downloads++;
    const args: ScriptMap = new Map<string, ScriptValue>([
      ['editMode', told.editMode],
      ['requestedFileName', told.requestedFileName ?? null],
      ['statusCode', BigInt(told.statusCode)],
    ]);
    try {
      await this.call(method, file.id, args, reader);
    } finally {
      this.downloads--;
      this.waiting.shift()?.();
    }
  }

  loggedIn(userId: string): Promise<void> {
    return this.tell('onSvcLogin', userId);
  }

  loggedOut(userId: string): Promise<void> {
    return this.tell('onSvcLogout', userId);
  }

  /** Calls a user-defined function, where there is one of this name. */
  private async tell(name: string, userId: string): Promise<void> {
    const { engine, parts } = this.scripting;
    if (!parts.schemas.schema.functions.has(name)) return;
    await this.scripting.inBackground(
      name,
      SUPERUSER,
      async (context) => {
        const node = await context.run.transaction.read((tx) => tx.node(userId));
        if (node !== undefined)
          await engine.callFunction(name, [new Map([['user', context.run.entities.of(node)]])], context);
      },
      false,
    );
  }

  async byOAuth(userId: string, provider: string, userInfo: () => Promise<JsonObject>): Promise<void> {
    const { graph, schemas } = this.scripting.parts;
    try {
      const node = await graph.read((tx) => tx.node(userId));
      const method = node === undefined ? undefined : this.onOAuthLogin.of(schemas.schema, node);
      if (method === undefined) return;
      const args: ScriptMap = new Map<string, ScriptValue>([
        ['provider', provider],
        ['userinfo', fromJsonValue(await userInfo())],
      ]);
      await this.call(method, userId, args, SUPERUSER);
    } catch (error) {
      log.warn(`onOAuthLogin of ${userId} could not be called`, error);
    }
  }

  private async call(method: MethodDefinition, id: string, args: ScriptMap, caller: Caller): Promise<void> {
    await this.scripting.inBackground(
      `${titleOf(method)} of ${id}`,
      caller,
      async (context) => {
        const { run } = context;
        const node = await run.transaction.read((tx) => tx.node(id));
        if (node !== undefined) await this.scripting.engine.run(method, run.entities.of(node), args, context);
      },
      false,
    );
  }
}
