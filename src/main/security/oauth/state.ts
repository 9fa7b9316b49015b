/**
 * Logins that have begun: what the callback must find again, whichever instance it reaches. A node of the graph, found
 * by a hash of `state` and taken out by the first callback. The browser has a cookie, without which the node is of no
 * use: a callback URL that somebody else has begun is refused (login CSRF). Code verifier and nonce are derived from
 * both, so that nothing in the graph completes a login.
 */
import { createHmac, hash, randomBytes } from 'node:crypto';
import type { Graph, GraphNode, ReadTransaction, WriteTransaction } from '../../graph/index.js';
import {
  ALLOW_ALL,
  SYSTEM,
  textOf,
  type ObjectTransaction,
  type SchemaService,
  type WriteOptions,
} from '../../schema/index.js';
import { itself, strangers } from '../origins.js';
import { OAuthRefusal } from './refusal.js';

const TYPE = 'OAuthLogin';
const REASON = 'login with another provider';
const SECRET = /^[\w-]{43}$/;
const LIFE = 600_000;
/** Logins begun through this instance within `LIFE` at most: anybody can begin one, and each is a node. */
const MOST = 50_000;
const SWEEP_BATCH = 500;

/** Seconds until a login that has begun is void. */
export const LOGIN_LIFE = LIFE / 1000;

/** What is remembered of the request that began a login. */
export interface BegunLogin {
  readonly provider: string;
  /** Its query parameters. */
  readonly parameters: readonly (readonly [string, string])[];
  /** Where the provider was told to send the browser. */
  readonly redirectUri: string;
}

/** The values of a login that only browser and provider have. */
export interface LoginSecrets {
  readonly state: string;
  readonly verifier: string;
  readonly nonce: string;
}

export class OAuthStates {
  #begun = { since: 0, count: 0 };

  constructor(
    private readonly graph: Graph,
    private readonly schemas: SchemaService,
    private readonly write: () => WriteOptions,
  ) {}

  /** Remembers a login of the browser that has this cookie. Throws `OAuthRefusal` when there are too many. */
  async begin(login: BegunLogin, browser: string): Promise<LoginSecrets> {
    const now = Date.now();
    if (now - this.#begun.since > LIFE) this.#begun = { since: now, count: 0 };
    if (++this.#begun.count > MOST) throw new OAuthRefusal('too many logins have begun and were not finished');
    const type = this.schemas.schema.type(TYPE);
    if (type === undefined) throw new Error(`the built-in tables lack the type ${TYPE}`);
    const state = randomBytes(32).toString('base64url');
    const begin = async (objects: ObjectTransaction): Promise<void> => {
      const node = await objects.create(type, {
        stateHash: hashOf(state),
        browserHash: hashOf(browser),
        provider: login.provider,
        parameters: JSON.stringify(login.parameters),
        redirectUri: login.redirectUri,
      });
      await objects.tx.updateNode(node.id, { expiresAt: now + LIFE });
    };
    await this.schemas.write(SYSTEM, ALLOW_ALL, this.write(), begin, { origin: strangers(REASON) });
    return secretsOf(state, browser);
  }

  /**
   * The login of this state, which ends with that, whether it is the right browser or not. Throws `OAuthRefusal` when it
   * is unknown, used, expired, another browser's or another provider's.
   */
  async take(provider: string, state: string, browser: string): Promise<BegunLogin & LoginSecrets> {
    const id = SECRET.test(state) ? hashOf(state) : undefined;
    // Only a state that is there is worth a transaction that writes.
    const known = id === undefined ? undefined : await this.graph.read((tx) => find(tx, id));
    const node = id === undefined || known === undefined ? undefined : await this.#remove(id);
    if (node === undefined) throw new OAuthRefusal('the state is unknown or was used before');
    const { expiresAt } = node.properties;
    if (typeof expiresAt !== 'number' || expiresAt < Date.now()) throw new OAuthRefusal('the state has expired');
    if (!SECRET.test(browser) || textOf(node, 'browserHash') !== hashOf(browser))
      throw new OAuthRefusal('the state belongs to another browser');
    if (textOf(node, 'provider') !== provider) throw new OAuthRefusal('the state belongs to another provider');
    return {
      ...secretsOf(state, browser),
      provider,
      redirectUri: textOf(node, 'redirectUri') ?? '',
      parameters: JSON.parse(textOf(node, 'parameters') ?? '[]') as [string, string][],
    };
  }

  /** Deletes logins that were never finished. For the coordinator, now and then. */
  async sweep(): Promise<void> {
    for (;;) {
      const sweep = async (tx: WriteTransaction): Promise<number> => {
        const nodes = await tx.find({
          kind: 'nodes',
          trait: TYPE,
          types: [TYPE],
          where: { op: 'range', key: 'expiresAt', to: Date.now() },
          limit: SWEEP_BATCH,
        });
        for (const node of nodes) await tx.deleteNode(node.id);
        return nodes.length;
      };
      const count = await this.graph.write(sweep, { origin: itself('logins that were not finished') });
      if (count < SWEEP_BATCH) return;
    }
  }

  /** Of two callbacks with one state, only the first gets the node. */
  #remove(id: string): Promise<GraphNode | undefined> {
    const remove = async (tx: WriteTransaction): Promise<GraphNode | undefined> => {
      const node = await find(tx, id);
      if (node !== undefined) await tx.deleteNode(node.id);
      return node;
    };
    return this.graph.write(remove, { origin: strangers(REASON) });
  }
}

/** The cookie's value of a browser, its old one if that is one of ours: logins in two tabs share it. */
export function browserSecret(old: string | undefined): string {
  return old !== undefined && SECRET.test(old) ? old : randomBytes(32).toString('base64url');
}

function secretsOf(state: string, browser: string): LoginSecrets {
  const derive = (purpose: string): string =>
    createHmac('sha256', browser).update(`${purpose}:${state}`).digest('base64url');
  return { state, verifier: derive('verifier'), nonce: derive('nonce') };
}

function hashOf(value: string): string {
  return hash('sha256', value, 'hex');
}

async function find(tx: Pick<ReadTransaction, 'find'>, stateHash: string): Promise<GraphNode | undefined> {
  const [node] = await tx.find({
    kind: 'nodes',
    trait: TYPE,
    types: [TYPE],
    where: { op: 'equals', key: 'stateHash', value: stateHash },
    limit: 1,
  });
  return node;
}
