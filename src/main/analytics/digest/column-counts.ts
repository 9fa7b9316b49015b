/** Counts the events of a block of columns in groups of time. */
import type { ColumnBlock } from '../../../shared/digest.js';
import type { CalendarGroups } from './calendar-groups.js';
import { GroupIndex } from './group-index.js';
import { LEFT_OUT, type Outcome, type Outcomes } from './outcomes.js';

/** Groups that are looked for beforehand. */
const MOST_GROUPS = 100_000;
/** Groups times outcomes that are counted by place. */
const MOST_CELLS = 1 << 22;
/** Events between two looks at the time. */
const STEP = 4096;

/** Where counts go. */
export interface Tally<Group> {
  readonly groups: CalendarGroups;
  /** The group that begins there. */
  groupAt(begin: number): Group;
  /** So many events of a group come to this. */
  count(group: Group, outcome: Outcome, times: number): void;
  /** An instant of a group in which events count. */
  saw(instant: number): void;
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
  if (index === undefined || index.size * width > MOST_CELLS) {
    countOneByOne(block, taken, places, list, tally, check);
    return;
  }
  const cells = new Uint32Array(index.size * width);
  const counting = {
    rows: block.rows,
    numbers: block.numbers(),
    index,
    cells,
    seen: new Float64Array(index.size),
    check,
  };
  if (places !== undefined) countPlaces(counting, places, width);
  else if (taken !== undefined) countTaken(counting, taken);
  else countAll(counting);
  for (const [at, start] of index.begins.entries()) {
    let isEmpty = true;
    for (const [place, outcome] of list.entries()) {
      const times = cells[at * width + place] ?? 0;
      if (times === 0) continue;
      isEmpty = false;
      tally.count(tally.groupAt(start), outcome, times);
    }
    if (!isEmpty) tally.saw(counting.seen[at] ?? start);
  }
}

/** Events by place. They come more or less in the order of their times, so that most are in the group of the one before. */
interface Counting {
  readonly rows: number;
  readonly numbers: Float64Array;
  readonly index: GroupIndex;
  readonly cells: Uint32Array;
  /** Of each group that was met, an instant in it. */
  readonly seen: Float64Array;
  readonly check: () => void;
}

function countAll({ rows, numbers, index, cells, seen, check }: Counting): void {
  let [begin, end, at, run] = [Infinity, -Infinity, 0, 0];
  for (let from = 0; from < rows; from += STEP) {
    check();
    const to = Math.min(rows, from + STEP);
    for (let i = from; i < to; i++) {
      const instant = numbers[i] as number;
      if (instant >= begin && instant < end) run++;
      else if (instant === instant) {
        cells[at] = (cells[at] as number) + run;
        run = 1;
        at = index.placeOf(instant);
        seen[at] = instant;
        begin = index.begins[at] as number;
        end = index.endOf(at);
      }
    }
  }
  cells[at] = (cells[at] as number) + run;
}

function countTaken({ rows, numbers, index, cells, seen, check }: Counting, taken: Uint8Array): void {
  let [begin, end, at] = [Infinity, -Infinity, 0];
  for (let from = 0; from < rows; from += STEP) {
    check();
    const to = Math.min(rows, from + STEP);
    for (let i = from; i < to; i++) {
      const instant = numbers[i] as number;
      if (!(instant >= begin && instant < end)) {
        if (instant !== instant) continue;
        at = index.placeOf(instant);
        seen[at] = instant;
        begin = index.begins[at] as number;
        end = index.endOf(at);
      }
      // Without a branch, which nobody could foretell.
      cells[at] = (cells[at] as number) + (taken[i] as number);
    }
  }
}

function countPlaces({ rows, numbers, index, cells, seen, check }: Counting, places: Int32Array, width: number): void {
  let [begin, end, row] = [Infinity, -Infinity, 0];
  for (let from = 0; from < rows; from += STEP) {
    check();
    const to = Math.min(rows, from + STEP);
    for (let i = from; i < to; i++) {
      const place = places[i] as number;
      if (place === LEFT_OUT) continue;
      const instant = numbers[i] as number;
      if (!(instant >= begin && instant < end)) {
        const at = index.placeOf(instant);
        seen[at] = instant;
        row = at * width;
        begin = index.begins[at] as number;
        end = index.endOf(at);
      }
      cells[row + place] = (cells[row + place] as number) + 1;
    }
  }
}

/** Where there are too many groups, or outcomes, for a place each. */
function countOneByOne<Group>(
  block: ColumnBlock,
  taken: Uint8Array | undefined,
  places: Int32Array | undefined,
  list: readonly Outcome[],
  tally: Tally<Group>,
  check: () => void,
): void {
  const numbers = block.numbers();
  let [begin, end] = [Infinity, -Infinity];
  let group: Group | undefined;
  for (let i = 0; i < block.rows; i++) {
    if (i % STEP === 0) check();
    if (taken !== undefined && taken[i] === 0) continue;
    const instant = numbers[i] as number;
    const place = places === undefined ? 0 : (places[i] as number);
    if (instant !== instant || place === LEFT_OUT) continue;
    if (!(instant >= begin && instant < end)) {
      begin = tally.groups.start(instant);
      end = tally.groups.next(begin);
      group = tally.groupAt(begin);
      tally.saw(instant);
    }
    if (group !== undefined) tally.count(group, list[place] ?? PLAIN, 1);
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
    if (i % STEP === 0) check();
    const instant = numbers[i] ?? NaN;
    const counts = (taken === undefined || taken[i] !== 0) && instant === instant;
    places[i] = counts ? outcomes.of(codes[i] ?? 0) : LEFT_OUT;
  }
  return places;
}
