import type { CalendarGroups } from './calendar-groups.js';

/** Groups that begin between two instants, so that the group of an instant is found without asking the calendar. */
export class GroupIndex {
  private constructor(
    readonly begins: Float64Array,
    private readonly end: number,
  ) {}

  /** Undefined: there are more than `most`. */
  static between(groups: CalendarGroups, from: number, to: number, most: number): GroupIndex | undefined {
    const begins: number[] = [];
    let at = groups.start(from);
    for (; at <= to; at = groups.next(at)) {
      if (begins.length >= most) return undefined;
      begins.push(at);
    }
    return new GroupIndex(Float64Array.from(begins), at);
  }

  get size(): number {
    return this.begins.length;
  }

  /** Beginning of the group behind one. */
  endOf(place: number): number {
    return this.begins[place + 1] ?? this.end;
  }

  /** Place of the group of an instant. Groups are about as long as each other, so it is not far from where it would be if they were. */
  placeOf(instant: number): number {
    const { begins } = this;
    const last = begins.length - 1;
    const first = begins[0] ?? 0;
    let place = Math.min(last, Math.max(0, Math.floor(((instant - first) / (this.end - first)) * begins.length)));
    while (place > 0 && instant < (begins[place] ?? 0)) place--;
    while (place < last && instant >= (begins[place + 1] ?? 0)) place++;
    return place;
  }
}
