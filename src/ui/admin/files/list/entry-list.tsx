/**
 * Files and folders in lines, of which those that are seen are drawn. By keyboard: arrows, Page Up, Page Down, Home and End move, Enter opens,
 * Space selects, with Shift all from the one that was selected last, Ctrl-A what is read.
 */
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { useScrollWindow } from '../../parts/scroll-window.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { filesTexts } from '../../texts/files.js';
import { Line } from './entry-line.js';
import type { Listing } from './listing.js';
import { useThumbnails } from './thumbnails.js';
import type { Entry } from '../tree-server.js';

/** Pixels; as in the style. */
const ROW = 44;
const HEAD = 38;

export interface Order {
  readonly by: 'name' | 'size' | 'changed' | 'kind';
  readonly descending: boolean;
}

const COLUMNS = ['name', 'size', 'changed', 'kind'] as const;

interface EntryListProps {
  readonly label: string;
  readonly listing: Listing;
  /** Absent: the list has an order of its own. */
  readonly order: Order | undefined;
  readonly onOrder: (order: Order) => void;
  readonly selected: ReadonlyMap<string, Entry>;
  readonly onSelect: (selected: ReadonlyMap<string, Entry>) => void;
  readonly onOpen: (entry: Entry) => void;
  /** Something is dropped on a folder. */
  readonly onDrop: (data: DataTransfer, folder: Entry) => void;
}

const STEPS: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 12,
  PageUp: -12,
  Home: -Infinity,
  End: Infinity,
};

export function EntryList(props: EntryListProps): ReactNode {
  const { label, listing, order, onOrder, selected, onSelect, onOpen, onDrop } = props;
  const { t } = useAreaTexts(filesTexts);
  const box = useRef<HTMLDivElement>(null);
  const count = listing.count ?? 0;
  const { first, last, height, top, show } = useScrollWindow(box, count, ROW, HEAD);
  const [active, setActive] = useState(0);
  /** The line that was selected last: Shift selects from there. */
  const anchor = useRef<number>(undefined);
  /** The line that is to get the focus. */
  const wanted = useRef<number>(undefined);
  useEffect(() => {
    listing.look(first, Math.max(first, last));
  }, [first, last, listing.count]);
  useEffect(() => {
    // It may be drawn some turns later: when the list has moved.
    const line = box.current?.querySelector<HTMLElement>(`[data-row="${String(wanted.current)}"]`);
    if (line === null || line === undefined) return;
    wanted.current = undefined;
    line.focus();
  });
  const places = Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i);
  const thumbnails = useThumbnails(places.map((index) => listing.at(index)));
  const toggle = (index: number, range: boolean): void => {
    const entry = listing.at(index);
    if (entry === undefined) return;
    const next = new Map(selected);
    const from = range ? (anchor.current ?? index) : index;
    if (from === index) {
      if (!next.delete(entry.id)) next.set(entry.id, entry);
    } else
      for (let row = Math.min(from, index); row <= Math.max(from, index); row++) {
        const one = listing.at(row);
        if (one !== undefined) next.set(one.id, one);
      }
    anchor.current = index;
    onSelect(next);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    // Keys of fields and buttons in a line are their own.
    if (!(event.target as HTMLElement).matches('[role=row]')) return;
    const step = STEPS[event.key];
    const entry = listing.at(active);
    if (step !== undefined) {
      const row = Math.max(0, Math.min(count - 1, active + step));
      setActive(row);
      show(row);
      wanted.current = row;
    } else if (event.key === 'Enter' && entry !== undefined) onOpen(entry);
    else if (event.key === ' ') toggle(active, event.shiftKey);
    else if (event.key === 'a' && (event.ctrlKey || event.metaKey)) {
      const all = new Map<string, Entry>();
      for (let row = 0; row < count; row++) {
        const one = listing.at(row);
        if (one !== undefined) all.set(one.id, one);
      }
      onSelect(all);
    } else return;
    event.preventDefault();
  };
  const reachable = active < first || active > last ? first : active;
  return (
    <div
      className="entries"
      ref={box}
      role="grid"
      aria-label={label}
      aria-rowcount={count + 1}
      aria-multiselectable="true"
      onKeyDown={onKeyDown}
    >
      <div className="head" role="rowgroup">
        <div className="entry" role="row" aria-rowindex={1}>
          <div className="box" role="columnheader">
            <span className="hidden">{t('select')}</span>
          </div>
          {COLUMNS.map((by) => (
            <div
              key={by}
              className={by}
              role="columnheader"
              aria-sort={order?.by === by ? (order.descending ? 'descending' : 'ascending') : 'none'}
            >
              {order === undefined ? (
                t(by)
              ) : (
                <button
                  type="button"
                  className="sort"
                  onClick={() => {
                    onOrder({ by, descending: order.by === by && !order.descending });
                  }}
                >
                  {t(by)} <span aria-hidden="true">{order.by === by ? (order.descending ? '↓' : '↑') : ''}</span>
                </button>
              )}
            </div>
          ))}
        </div>
      </div>
      <div className="body" role="rowgroup" style={{ height }}>
        <div className="drawn" role="presentation" style={{ transform: `translateY(${String(top)}px)` }}>
          {places.map((index) => {
            const entry = listing.at(index);
            return (
              <Line
                key={index}
                index={index}
                entry={entry}
                picture={entry === undefined ? undefined : thumbnails.get(entry.id)}
                snippet={entry === undefined ? undefined : listing.snippets(entry.id)[0]}
                reachable={index === reachable}
                selected={selected}
                onActive={() => {
                  setActive(index);
                }}
                onToggle={toggle}
                onOpen={onOpen}
                onDrop={onDrop}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}
