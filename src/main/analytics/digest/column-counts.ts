/** Counts the events of a block of columns in groups of time. */
import type { ColumnBlock } from '../../../shared/digest.js';
import type { CalendarGroups } from './calendar-groups.js';
import { GroupIndex } from './group-index.js';
import { LEFT_OUT, type Outcome, type Outcomes } from './outcomes.js';

/** Groups that are looked for beforehand. */
const MOST_GROUPS = 100_000;
/** Groups times outcomes that are counted by place. */
const MOST_CELLS = 1 << 22;
/** Events between two looks at the time, less one. */
const STEP = 0xfff;

/** Where counts go. */
export interface Tally<Group> {
  readonly groups: CalendarGroups;
  /** The group that begins there. */
  groupAt(begin: number): Group;
  /** So many events of a group come to this. */
  count(group: Group, outcome: Outcome, times: number): void;
  /** Between these all counted events were. */
  saw(first: number, last: number): void;
}

/** What events come to when nobody asks about messages. */
const PLAIN: Outcome = { matched: [], weight: 1, value: undefined };

/** `taken`: 0 for events that do not count; absent: all do. `outcomes`: absent when nobody asks about messages. */
export function countColumns<Group>(
  block: ColumnBlock,
  taken: Uint8Array | undefined,
  outcomes: Outcomes | undefined,
  tally: Tally<Group>,
  check: () => void,
): void {
  if (block.min > block.max) return;
  const index = GroupIndex.between(tally.groups, block.min, block.max, MOST_GROUPS);
  const places = outcomes === undefined ? undefined : placesOf(block, taken, outcomes, check);
  const list = outcomes?.list ?? [PLAIN];
  const width = list.length;
  if (width === 0) return;
  const cells =
    index === undefined || index.size * width > MOST_CELLS ? undefined : new Uint32Array(index.size * width);
  const numbers = block.numbers();
  let [first, last, begin, end, row] = [Infinity, -Infinity, Infinity, -Infinity, 0];
  let group: Group | undefined;
  for (let i = 0; i < block.rows; i++) {
    if ((i & STEP) === 0) check();
    if (taken !== undefined && taken[i] === 0) continue;
    const instant = numbers[i] ?? NaN;
    if (instant !== instant) continue;
    const place = places === undefined ? 0 : (places[i] ?? LEFT_OUT);
    if (place === LEFT_OUT) continue;
    if (instant < first) first = instant;
    if (instant > last) last = instant;
    if (!(instant >= begin && instant < end)) {
      if (index === undefined) {
        begin = tally.groups.start(instant);
        end = tally.groups.next(begin);
      } else {
        const at = index.placeOf(instant);
        row = at * width;
        begin = index.begins[at] ?? NaN;
        end = index.endOf(at);
      }
      if (cells === undefined) group = tally.groupAt(begin);
    }
    if (cells !== undefined) cells[row + place] = (cells[row + place] ?? 0) + 1;
    else if (group !== undefined) tally.count(group, list[place] ?? PLAIN, 1);
  }
  if (first <= last) tally.saw(first, last);
  if (cells === undefined || index === undefined) return;
  for (const [at, start] of index.begins.entries()) {
    for (const [place, outcome] of list.entries()) {
      const times = cells[at * width + place] ?? 0;
      if (times > 0) tally.count(tally.groupAt(start), outcome, times);
    }
  }
}

/** Of each event that counts, the place of its outcome. */
function placesOf(
  block: ColumnBlock,
  taken: Uint8Array | undefined,
  outcomes: Outcomes,
  check: () => void,
): Int32Array {
  const { rows } = block;
  const { codes } = block.texts('message');
  const numbers = block.numbers();
  const places = new Int32Array(rows);
  for (let i = 0; i < rows; i++) {
    if ((i & STEP) === 0) check();
    const instant = numbers[i] ?? NaN;
    const counts = (taken === undefined || taken[i] !== 0) && instant === instant;
    places[i] = counts ? outcomes.of(codes[i] ?? 0) : LEFT_OUT;
  }
  return places;
}
