/** Connections to brokers of messages, and who listens to them: `modules/messaging-module/messaging-engine.json` (docs/interface/deployment.md 2.8). */
import type { JsonObject, JsonValue } from '../../../../shared/json/index.js';
import type { Type } from '../../../schema/index.js';
import { DeploymentError } from '../../common/errors.js';
import { createMarked, listSection, textOf, typeNamed } from '../list-section.js';

const SUBSCRIBER = 'MessageSubscriber';
const CLIENT = 'MessageClient';
/** What the kinds of clients have beside what all have; in the order of the file. */
const CLIENTS: readonly (readonly [type: string, keys: readonly string[]])[] = [
  [CLIENT, []],
  ['MQTTClient', ['mainBrokerURL', 'fallbackBrokerURLs', 'username', 'password', 'qos', 'isEnabled']],
  ['KafkaClient', ['servers', 'groupId', 'enabled']],
  ['PulsarClient', ['servers', 'enabled']],
];
const FLAGS = ['visibleToAuthenticatedUsers', 'visibleToPublicUsers'];

function keysOf(type: Type): readonly string[] {
  if (type.hasTrait(SUBSCRIBER)) return ['id', 'type', 'name', ...FLAGS, 'topic', 'callback'];
  const own = CLIENTS.flatMap(([trait, keys]) => (type.hasTrait(trait) ? keys : []));
  return ['id', 'type', 'name', ...FLAGS, ...own];
}

/** Where entries of a type stand in the list. */
function rankOf(type: JsonValue | undefined): string {
  const rank = CLIENTS.findIndex(([name]) => name === type);
  return type === SUBSCRIBER ? '0' : String(rank < 0 ? CLIENTS.length + 1 : rank + 1);
}

export const messaging = listSection({
  title: 'Messaging',
  file: 'modules/messaging-module/messaging-engine.json',
  type: [SUBSCRIBER, CLIENT],
  keys: keysOf,
  withoutIds: true,
  sortedBy: ({ type, name }) => [rankOf(type), textOf(type), textOf(name)],
  style: 'pretty',
  more: async ({ tx, schema }, nodes) => {
    const subscribers = await tx.related(
      nodes.map(({ id }) => id),
      { relType: 'HAS_SUBSCRIBER', direction: 'out' },
    );
    return nodes.map((node, i): JsonObject => {
      if (!schema.typeOf(node).hasTrait(CLIENT)) return {};
      return { subscribers: (subscribers[i] ?? []).map(({ id }) => id).sort() };
    });
  },
  input: (values, place) => {
    if (textOf(values['type']) === undefined) throw new DeploymentError(`${place}.type: a text is expected here.`);
    idsIn(values['subscribers'], `${place}.subscribers`);
    return values;
  },
  make: ({ objects }, _type, { values: { type: said, subscribers: _later, ...values }, place }) => {
    const type = typeNamed(objects, textOf(said) ?? '');
    if (!type.hasTrait(SUBSCRIBER) && !type.hasTrait(CLIENT))
      throw new DeploymentError(`${place}.type: ${type.name} is no type of messaging.`);
    return createMarked(objects, type, values, place);
  },
  connect: async ({ objects, report }, node, { values, place }) => {
    const ids = idsIn(values['subscribers'], `${place}.subscribers`);
    if (ids.length === 0) return;
    const found = await objects.tx.nodes(ids);
    report.warnOfAll(
      `Missing subscriber(s) of ${place}`,
      ids.filter((_, i) => found[i] === undefined),
    );
    await objects.update(node, { subscribers: found.flatMap((one) => (one === undefined ? [] : [one.id])) });
  },
});

function idsIn(value: JsonValue | undefined, place: string): string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value;
  throw new DeploymentError(`${place}: a list of ids is expected here.`);
}
