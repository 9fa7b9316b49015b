/**
 * Whether reads and writes of one value, each of which happened at some moment between its beginning and its end, can have seen
 * what they saw. All values that are written differ (Gibbons and Korach, "Testing shared memories").
 */
export interface Access {
  readonly kind: 'read' | 'write';
  readonly value: string;
  readonly began: number;
  /** `Infinity`: nobody was told. Such a read is left out. */
  readonly ended: number;
}

/** What cannot be; undefined: all is well. A write that nobody was told of counts when its value was seen. */
export function impossible(history: readonly Access[], initial: string): string | undefined {
  const first: Access = { kind: 'write', value: initial, began: -Infinity, ended: -Infinity };
  const groups = new Map<string, Access[]>();
  for (const one of [first, ...history]) {
    const group = groups.get(one.value);
    if (group === undefined) groups.set(one.value, [one]);
    else group.push(one);
  }
  const zones: { value: string; from: number; to: number; forward: boolean }[] = [];
  for (const [value, group] of groups) {
    const write = group.find(({ kind }) => kind === 'write');
    const reads = group.filter(({ kind }) => kind === 'read');
    if (write === undefined) return `${value} was read and never written`;
    if (write.ended === Infinity && reads.length === 0) continue;
    const early = reads.find((read) => read.ended < write.began);
    if (early !== undefined) return `${value} was read before it was written`;
    const end = Math.min(...group.map(({ ended }) => ended));
    const begin = Math.max(...group.map(({ began }) => began));
    zones.push({ value, from: Math.min(end, begin), to: Math.max(end, begin), forward: end < begin });
  }
  // The value is this one during the whole of a forward zone, and at some moment of the other ones.
  const forward = zones.filter((zone) => zone.forward).sort((a, b) => a.from - b.from);
  let last: (typeof forward)[number] | undefined;
  for (const zone of forward) {
    if (last !== undefined && zone.from < last.to) return `${last.value} was seen before and after ${zone.value}`;
    last = zone;
  }
  for (const zone of zones) {
    if (zone.forward) continue;
    const around = forward.find((other) => other.from < zone.from && zone.to < other.to);
    if (around !== undefined) return `${zone.value} was written or read while the value was ${around.value}`;
  }
  return undefined;
}
