/** Random values of properties, and bodies with related objects in them. */
import type { Json, Input, Model, Side } from './model.js';
import type { PlannedProperty } from './plan.js';
import type { Random } from './random.js';

const TEXTS = ['a', 'b', 'B', '', 'ä', 'a longer text', 'null', '0'];
const TAGS = Array.from({ length: 12 }, (_, i) => `tag${String(i)}`);

export function randomValue(random: Random, { kind, unique, notNull }: PlannedProperty): Json {
  if (random.chance(notNull === true ? 0.05 : 0.1)) return null;
  switch (kind) {
    case 'Integer':
      return random.chance(0.02) ? 'x' : random.below(8) - 3;
    case 'Boolean':
      return random.chance(0.5);
    case 'Enum':
      return random.chance(0.03) ? 'pink' : random.pick(['red', 'green', 'blue']);
    case 'StringArray':
      return random.chance(0.02) ? 'no list' : random.some(['a', 'b', 'c'], 3);
    case 'String':
      return random.pick(unique === true ? TAGS : TEXTS);
  }
}

export class Bodies {
  constructor(
    private readonly random: Random,
    private readonly model: Model,
  ) {}

  /** An id of a type, as a rule; now and then one of another type, or of nothing. */
  idOf(type: string): string {
    const { random, model } = this;
    const all = [...model.things.values()];
    const fitting = all.filter((one) => model.isA(one.type, type));
    if (fitting.length > 0 && random.chance(0.95)) return random.pick(fitting).id;
    return all.length > 0 && random.chance(0.5) ? random.pick(all).id : random.id();
  }

  /** Values to create an object with, which has its id in them. */
  creation(type: string, depth = 0): Input {
    const { random, model } = this;
    const required = model.propertiesOf(type).filter(({ notNull }) => notNull === true);
    const input: Record<string, Json> = { id: random.id() };
    for (const property of required) if (random.chance(0.96)) input[property.name] = randomValue(random, property);
    return { ...input, ...this.change(type, depth) };
  }

  change(type: string, depth = 0): Input {
    const { random, model } = this;
    const input: Record<string, Json> = {};
    for (const property of random.some(model.propertiesOf(type), 4))
      input[property.name] = randomValue(random, property);
    if (random.chance(0.3)) input['visibleToAuthenticatedUsers'] = random.chance(0.6);
    const sides = model.sidesOf(type);
    if (depth < 2 && sides.length > 0 && random.chance(depth === 0 ? 0.5 : 0.2)) {
      for (const side of random.some(sides, 2)) input[side.name] = this.related(side, depth);
    }
    return input;
  }

  related(side: Side, depth: number): Json {
    const { random } = this;
    if (random.chance(0.12)) return null;
    if (random.chance(0.02)) return side.many ? this.one(side, depth) : [];
    if (!side.many) return this.one(side, depth);
    const list = Array.from({ length: random.below(4) }, () => this.one(side, depth));
    return list;
  }

  private one(side: Side, depth: number): Json {
    const { random } = this;
    if (random.chance(0.25)) return this.creation(side.related, depth + 1);
    const id = this.idOf(side.related);
    if (random.chance(0.7)) return id;
    const type = this.model.things.get(id)?.type ?? side.related;
    return random.chance(0.5) ? { id } : { ...this.change(type, depth + 1), id };
  }
}
