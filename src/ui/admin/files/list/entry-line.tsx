/** A line of the list of files and folders. It can be dragged, and a folder takes what is dropped on it. */
import { type DragEvent, type ReactNode, useState } from 'react';
import { useAreaTexts } from '../../texts/catalogue.js';
import { filesTexts } from '../../texts/files.js';
import { useFormats } from '../../texts/index.js';
import { hasFiles, isOwn, putOwn } from '../dragging.js';
import { Snippet } from '../folders/search.js';
import type { Entry } from '../tree-server.js';

interface LineProps {
  readonly index: number;
  readonly entry: Entry | undefined;
  readonly picture: string | undefined;
  readonly snippet: string | undefined;
  readonly reachable: boolean;
  readonly selected: ReadonlyMap<string, Entry>;
  readonly onActive: () => void;
  /** `range`: all from the one that was selected last. */
  readonly onToggle: (index: number, range: boolean) => void;
  readonly onOpen: (entry: Entry) => void;
  readonly onDrop: (data: DataTransfer, folder: Entry) => void;
}

export function Line(props: LineProps): ReactNode {
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
          onChange={(event) => {
            onToggle(index, event.nativeEvent instanceof MouseEvent && event.nativeEvent.shiftKey);
          }}
        />
      </div>
      <div className="name" role="gridcell">
        {picture === undefined ? (
          <Icon entry={entry} />
        ) : (
          <img className="thumb" src={picture} alt="" loading="lazy" draggable={false} />
        )}
        <span className="entry-label">
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
