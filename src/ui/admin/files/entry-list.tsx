/**
 * Files and folders in lines, of which those that are seen are drawn. By keyboard: arrows, Page Up, Page Down, Home and End move, Enter opens,
 * Space selects, Ctrl-A selects what is read.
 */
import { type DragEvent, type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { useScrollWindow } from '../parts/scroll-window.js';
import { useAreaTexts } from '../texts/catalogue.js';
import { filesTexts } from '../texts/files.js';
import { useFormats } from '../texts/index.js';
import { hasFiles, isOwn, putOwn } from './dragging.js';
import type { Listing } from './listing.js';
import { Snippet } from './search.js';
import { useThumbnails } from './thumbnails.js';
import type { Entry } from './tree-server.js';

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
  const toggle = (entry: Entry): void => {
    const next = new Map(selected);
    if (!next.delete(entry.id)) next.set(entry.id, entry);
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
    else if (event.key === ' ' && entry !== undefined) toggle(entry);
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

interface LineProps {
  readonly index: number;
  readonly entry: Entry | undefined;
  readonly picture: string | undefined;
  readonly snippet: string | undefined;
  readonly reachable: boolean;
  readonly selected: ReadonlyMap<string, Entry>;
  readonly onActive: () => void;
  readonly onToggle: (entry: Entry) => void;
  readonly onOpen: (entry: Entry) => void;
  readonly onDrop: (data: DataTransfer, folder: Entry) => void;
}

function Line(props: LineProps): ReactNode {
  const { index, entry, picture, snippet, reachable, selected, onActive, onToggle, onOpen, onDrop } = props;
  const { t } = useAreaTexts(filesTexts);
  const { bytes, time } = useFormats();
  const [target, setTarget] = useState(false);
  if (entry === undefined)
    return (
      <div
        className="entry"
        role="row"
        aria-rowindex={index + 2}
        data-row={index}
        tabIndex={reachable ? 0 : -1}
        onFocus={onActive}
      >
        <div role="gridcell">
          <span className="waiting" />
        </div>
      </div>
    );
  const isSelected = selected.has(entry.id);
  const takes = (event: DragEvent): boolean =>
    entry.isFolder && (isOwn(event.dataTransfer) || hasFiles(event.dataTransfer)) && !isDragged(event, isSelected);
  return (
    <div
      className={['entry', isSelected ? 'selected' : '', target ? 'target' : ''].join(' ')}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      data-row={index}
      tabIndex={reachable ? 0 : -1}
      draggable
      onFocus={onActive}
      onDoubleClick={() => {
        onOpen(entry);
      }}
      onDragStart={(event) => {
        putOwn(event.dataTransfer, isSelected ? [...selected.values()] : [entry]);
      }}
      onDragOver={(event) => {
        if (!takes(event)) return;
        event.preventDefault();
        event.stopPropagation();
        setTarget(true);
      }}
      onDragLeave={() => {
        setTarget(false);
      }}
      onDrop={(event) => {
        setTarget(false);
        if (!takes(event)) return;
        event.preventDefault();
        event.stopPropagation();
        onDrop(event.dataTransfer, entry);
      }}
    >
      <div className="box" role="gridcell">
        <input
          type="checkbox"
          tabIndex={-1}
          checked={isSelected}
          aria-label={t('selectOne', { name: entry.name.slice(0, 200) })}
          onChange={() => {
            onToggle(entry);
          }}
        />
      </div>
      <div className="name" role="gridcell">
        {picture === undefined ? (
          <Icon entry={entry} />
        ) : (
          <img className="thumb" src={picture} alt="" loading="lazy" draggable={false} />
        )}
        <span className="label">
          <button
            type="button"
            className="open"
            tabIndex={-1}
            dir="auto"
            title={entry.name.slice(0, 500)}
            onClick={() => {
              onOpen(entry);
            }}
          >
            {entry.name}
          </button>
          {snippet !== undefined ? (
            <Snippet html={snippet} />
          ) : entry.path === undefined ? null : (
            <small className="soft where" dir="auto">
              {entry.path}
            </small>
          )}
        </span>
      </div>
      <div className="size" role="gridcell">
        {entry.size === undefined ? '' : bytes(entry.size)}
      </div>
      <div className="changed" role="gridcell">
        {entry.changed === undefined ? '' : time(entry.changed)}
      </div>
      <div className="kind" role="gridcell">
        {entry.isFolder ? t('folder') : entry.contentType}
      </div>
    </div>
  );
}

/** What is being dragged is not a place to drop it on. */
function isDragged(event: DragEvent, isSelected: boolean): boolean {
  return isOwn(event.dataTransfer) && isSelected;
}

function Icon({ entry }: { readonly entry: Entry }): ReactNode {
  return (
    <svg className="icon" aria-hidden="true" viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="1.6">
      {entry.isFolder ? (
        <path d="M3 6.500a1.500 1.500 0 0 1 1.500-1.500h5l2 2.500h8a1.500 1.500 0 0 1 1.500 1.500v9a1.500 1.500 0 0 1-1.500 1.500h-15a1.500 1.500 0 0 1-1.500-1.500z" />
      ) : (
        <path d="M6 3h8l4 4v14H6zM14 3v4h4" strokeLinejoin="round" />
      )}
    </svg>
  );
}
