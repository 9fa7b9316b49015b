/** A server with a random schema and random permissions, and the model of what is in it. */
import { rm } from 'node:fs/promises';
import type { Answer, Client } from '../support/client.js';
import { allow, type Method } from '../support/permissions.js';
import { TestServer } from '../support/server.js';
import { Model, Refusal, type Actor, type Link, type Right, type Thing } from './model.js';
import { extraOf, makeRelation, makeType, randomPlan, schemaProperty, VIEW, type Plan } from './plan.js';
import type { Random } from './random.js';
import { flat, Requests, shown, type Expected, type Request } from './requests.js';

const USERS = ['anna', 'bert'];
const PASSWORD = 'a-password-of-tests';
const METHODS: readonly Method[] = ['GET', 'PUT', 'POST', 'DELETE', 'PATCH'];
/** Writes that are on their way when the server is killed; all orders of all subsets of them are tried. */
const IN_FLIGHT = 4;
const RIGHTS: readonly Right[] = ['read', 'write', 'delete', 'accessControl'];

/** A request as it was sent. */
interface Sent {
  readonly request: Request;
  readonly path: string;
}

export class World {
  readonly plan: Plan;
  model: Model;
  readonly actors: Actor[] = [];
  /** Methods that users may use, by signature. */
  private readonly permissions = new Map<string, ReadonlySet<string>>();
  private readonly typeIds = new Map<string, string>();
  private clients = new Map<string, Client>();
  /** What was asked and answered, newest last. */
  private readonly history: string[] = [];
  requests = 0;
  /** How often what was answered how: a run in which all is refused shows nothing. */
  readonly tally = new Map<string, number>();

  private constructor(
    private readonly random: Random,
    public server: TestServer,
  ) {
    this.plan = randomPlan(random);
    this.model = new Model(this.plan);
  }

  static async make(random: Random): Promise<World> {
    const world = new World(random, await TestServer.start());
    const { admin } = world.server;
    const me = (await admin.get('/me')).body as { result: { id: string } };
    world.actors.push({ id: me.result.id, isAdmin: true });
    for (const name of USERS) {
      const id = await admin.create('User', { name, password: PASSWORD });
      world.actors.push({ id, isAdmin: false });
    }
    world.connect();
    for (const type of world.plan.types) world.typeIds.set(type.name, await makeType(admin, world.plan, type));
    for (const relation of world.plan.relations) await makeRelation(admin, relation, world.typeIds);
    await world.permit();
    return world;
  }

  private connect(): void {
    const [admin, ...users] = this.actors;
    this.clients = new Map([[admin?.id ?? '', this.server.admin]]);
    for (const [i, { id }] of users.entries()) this.clients.set(id, this.server.as(USERS[i], PASSWORD));
  }

  private async permit(): Promise<void> {
    const { plan, random } = this;
    const signatures = plan.types.flatMap(({ name }) => [
      ...[name, `${name}/_Fuzz`, `${name}/_id`, `${name}/_id/_Fuzz`],
      ...this.model.sidesOf(name).flatMap((side) => [`${name}/_id/${side.name}`, `${name}/_id/${side.name}/_Fuzz`]),
    ]);
    signatures.push(...plan.relations.flatMap(({ name }) => [name, `${name}/_id`]));
    for (const signature of signatures) {
      const methods = METHODS.filter(() => random.chance(0.85));
      this.permissions.set(signature, new Set(methods));
      await allow(this.server.admin, signature, 'user', methods);
    }
  }

  /** One random request, whose answer has to be the model's. */
  async step(): Promise<void> {
    const { random } = this;
    if (random.chance(0.03)) {
      await this.grant();
      return;
    }
    if (random.chance(0.01)) {
      await this.changeSchema();
      return;
    }
    const sent = await this.prepared(new Requests(random, this.model, this.actors).next());
    const answer = await this.send(sent);
    const expected = this.expected(this.model, sent.request);
    const wrong =
      answer.status === expected.status
        ? expected.differs?.(answer)
        : `wanted ${String(expected.status)}: ${String(expected.why)}`;
    if (wrong !== undefined)
      throw this.difference(
        `${describe(sent)}\nanswered ${String(answer.status)} ${answer.text.slice(0, 1500)}\n${wrong}`,
      );
    this.note(`${describe(sent)} -> ${String(answer.status)}`);
    this.count(`${sent.request.actor.isAdmin ? 'admin' : 'user'} ${sent.request.method} ${String(answer.status)}`);
  }

  private count(what: string): void {
    this.tally.set(what, (this.tally.get(what) ?? 0) + 1);
  }

  /** Sends some writes at once and kills the server at any moment; what it has then must be what some order of them leaves. */
  async kill(): Promise<void> {
    const { random } = this;
    const requests = new Requests(random, this.model, this.actors);
    const sent: Sent[] = [];
    for (let i = 0; i < IN_FLIGHT; i++) sent.push(await this.prepared(requests.next(true)));
    const answers: (Answer | undefined)[] = sent.map(() => undefined);
    const sending = sent.map(async (one, i) => {
      answers[i] = await this.send(one).catch(() => undefined);
    });
    await new Promise((resolve) => setTimeout(resolve, random.below(8)));
    await this.server.end('SIGKILL');
    await Promise.all(sending);
    this.server = await TestServer.start({ folder: this.server.folder });
    this.connect();
    const found = await this.dump();
    const indices = sent.map((_, i) => i);
    for (const order of orders(indices)) {
      if (indices.some((i) => answers[i] !== undefined && !order.includes(i))) continue;
      const model = this.model.clone();
      const fits = order.every((i) => {
        const one = sent[i];
        const status = answers[i]?.status;
        if (one === undefined) return false;
        const expected = this.expected(model, one.request);
        return status === undefined || status === expected.status;
      });
      if (!fits || JSON.stringify(this.dumpOf(model)) !== JSON.stringify(found)) continue;
      this.model = model;
      const unanswered = order.filter((i) => answers[i] === undefined).length;
      this.count(
        `kill: ${String(answers.filter((one) => one !== undefined).length)} answered, ${String(unanswered)} more counted`,
      );
      this.note(`kill: ${order.map((i) => describe(sent[i])).join('; ')}`);
      return;
    }
    const told = sent.map((one, i) => `${describe(one)} -> ${String(answers[i]?.status)}`).join('\n');
    throw this.difference(
      `after a kill no order of these leaves what is there:\n${told}\n${diff(found, this.dumpOf(this.model))}`,
    );
  }

  /** The whole graph, as the administrator sees it. */
  async compare(): Promise<void> {
    const [found, wanted] = [await this.dump(), this.dumpOf(this.model)];
    if (JSON.stringify(found) !== JSON.stringify(wanted))
      throw this.difference(`the graphs differ:\n${diff(found, wanted)}`);
  }

  async stop(): Promise<void> {
    await this.server.stop();
    // One that was started again keeps it.
    await rm(this.server.folder, { recursive: true, force: true });
  }

  private async dump(): Promise<string[]> {
    const lines = new Set<string>();
    for (const { name } of this.plan.types) {
      if (this.model.absent.has(name)) continue;
      const { body } = await this.server.admin.get(`/${name}/${VIEW}?_outputNestingDepth=1&_pageSize=100000`);
      for (const item of (body as { result: unknown[] }).result) lines.add(JSON.stringify(flat(this.model, item)));
    }
    return [...lines].sort();
  }

  private dumpOf(model: Model): string[] {
    const [admin] = this.actors;
    if (admin === undefined) return [];
    return [...model.things.values()]
      .filter(({ type }) => !model.absent.has(type))
      .map((thing) => JSON.stringify(shown(model, admin, thing)))
      .sort();
  }

  private expected(model: Model, request: Request): Expected & { why?: string } {
    const { actor, signature, method } = request;
    if (!actor.isAdmin && this.permissions.get(signature)?.has(method) !== true) return { status: 401, why: signature };
    try {
      return request.run(model);
    } catch (error) {
      if (error instanceof Refusal) return { status: error.status, why: error.message };
      throw error;
    }
  }

  private async prepared(request: Request): Promise<Sent> {
    const { path, relationship } = request;
    return { request, path: relationship === undefined ? path : `${path}/${await this.uuidOf(relationship)}` };
  }

  private async uuidOf({ relation, source, target }: Link): Promise<string> {
    const { body } = await this.server.admin.get(`/${relation}?_pageSize=100000`);
    const list = (body as { result: { id: string; sourceId: string; targetId: string }[] }).result;
    const id = list.find((one) => one.sourceId === source && one.targetId === target)?.id;
    // One whose end is of a type that is not there.
    return id ?? this.random.id();
  }

  private send({ request, path }: Sent): Promise<Answer> {
    this.requests++;
    const client = this.clients.get(request.actor.id);
    if (client === undefined) throw new Error('no client');
    return client.send(request.method, path, request.body);
  }

  private async grant(): Promise<void> {
    const users = this.actors.filter(({ isAdmin }) => !isAdmin);
    const user = this.random.pick(users);
    const things = [...this.model.things.values()].filter(
      (one) => !this.model.absent.has(one.type) && !one.grants.has(user.id),
    );
    if (things.length === 0) return;
    const thing = this.random.pick(things);
    const allowed = RIGHTS.filter(() => this.random.chance(0.5));
    const grant = { sourceId: user.id, targetId: thing.id, allowed };
    const wanted = this.grantIn(user, thing, allowed);
    const { status, text } = await this.server.admin.post('/Security', grant);
    const told = `grant ${JSON.stringify(grant)}`;
    if (status !== wanted)
      throw this.difference(`${told}\nanswered ${String(status)} ${text}\nwanted ${String(wanted)}`);
    this.note(`${told} -> ${String(status)}`);
    this.count(`grant ${String(status)}`);
  }

  /** Refused where the object breaks a rule by now: another got its unique value while its type was not there. */
  private grantIn({ id }: Actor, thing: Thing, allowed: readonly Right[]): number {
    try {
      this.model.transaction(() => {
        this.model.grant(id, thing, new Set(allowed));
      });
      return 201;
    } catch (error) {
      if (error instanceof Refusal) return error.status;
      throw error;
    }
  }

  private async changeSchema(): Promise<void> {
    const { random, plan, model } = this;
    const { admin } = this.server;
    const [gone] = [...model.absent];
    if (gone !== undefined) {
      await this.bring(gone);
      return;
    }
    const type = random.pick(plan.types);
    const leaf = !plan.types.some(({ base }) => base === type.name);
    if (leaf && random.chance(0.4)) {
      await expectStatus(admin.delete(`/SchemaNode/${this.typeIds.get(type.name) ?? ''}`), 200);
      model.absent.add(type.name);
      this.note(`the type ${type.name} goes`);
      return;
    }
    const extra = extraOf(type);
    const schemaNode = this.typeIds.get(type.name) ?? '';
    if (type.properties.some(({ name }) => name === extra.name)) {
      const found = (await admin.get(`/SchemaProperty?name=${extra.name}`)).body as { result: { id: string }[] };
      for (const { id } of found.result) await expectStatus(admin.delete(`/SchemaProperty/${id}`), 200);
      type.properties = type.properties.filter(({ name }) => name !== extra.name);
      this.note(`the property ${extra.name} goes`);
    } else {
      await admin.create('SchemaProperty', { schemaNode, ...schemaProperty(extra) });
      type.properties = [...type.properties, extra];
      this.note(`the property ${extra.name} comes`);
    }
  }

  /** Makes a type again, as it was. */
  private async bring(name: string): Promise<void> {
    const { plan, model } = this;
    const type = plan.types.find((one) => one.name === name);
    if (type === undefined) throw new Error(`no type ${name}`);
    this.typeIds.set(name, await makeType(this.server.admin, plan, type));
    model.absent.delete(name);
    for (const relation of plan.relations) {
      if (relation.source === name || relation.target === name)
        await makeRelation(this.server.admin, relation, this.typeIds);
    }
    this.note(`the type ${name} comes again`);
  }

  private note(line: string): void {
    this.history.push(line);
    if (this.history.length > 2000) this.history.shift();
  }

  private difference(what: string): Error {
    const ids = new Set(what.match(/[0-9a-f]{32}/g) ?? []);
    const about = this.history.filter((line) => [...ids].some((id) => line.includes(id))).slice(-25);
    const schema = JSON.stringify(this.plan.relations);
    // What differs comes last: the end of a message is shown where the whole is too long (test/support/failures.ts).
    return new Error(
      `the server and the model differ (FUZZ_SEED=${String(this.random.seed)}, request ${String(this.requests)}); ` +
        `${schema}\n${JSON.stringify(this.plan.types)}\nbefore:\n${about.join('\n')}\n` +
        `last:\n${this.history.slice(-5).join('\n')}\nnow:\n${what}`,
    );
  }
}

async function expectStatus(answering: Promise<Answer>, status: number): Promise<void> {
  const answer = await answering;
  if (answer.status !== status)
    throw new Error(`wanted ${String(status)}, got ${String(answer.status)} ${answer.text}`);
}

function describe(sent: Sent | undefined): string {
  if (sent === undefined) return '';
  const { request, path } = sent;
  const who = request.actor.isAdmin ? 'admin' : request.actor.id;
  return `${who} ${request.method} ${path} ${request.body === undefined ? '' : JSON.stringify(request.body)}`;
}

/** Lines that only one of them has. */
function diff(found: readonly string[], wanted: readonly string[]): string {
  const [there, expected] = [new Set(found), new Set(wanted)];
  const more = found.filter((line) => !expected.has(line)).map((line) => `+ ${line}`);
  const less = wanted.filter((line) => !there.has(line)).map((line) => `- ${line}`);
  return [...more, ...less].slice(0, 20).join('\n');
}

/** All orders of all subsets. */
function* orders(list: readonly number[]): Generator<number[]> {
  yield [];
  for (const one of list) for (const rest of orders(list.filter((other) => other !== one))) yield [one, ...rest];
}
