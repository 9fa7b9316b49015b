/** Edits one value in its place. What somebody else has written meanwhile is shown before it is replaced. */
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { Button } from '../../../common/parts.js';
import { useWork } from '../../../common/work.js';
import type { Entity, Stated } from '../../server/rest.js';
import { Trouble } from '../../frame/trouble.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { dataTexts } from '../../texts/data.js';
import type { Column } from '../columns.js';
import { draftOf, isChanged, isSame, valueOf } from '../drafts.js';
import { ValueField } from '../fields/field.js';
import { pathOf, readObject, save } from '../object/save.js';
import { useWords } from '../values.js';

export function CellEditor({
  type,
  entity,
  column,
  onEnd,
}: {
  readonly type: string;
  readonly entity: Entity;
  readonly column: Column;
  /** With what the object has now; undefined: nothing was saved. */
  readonly onEnd: (values: Readonly<Record<string, unknown>> | undefined) => void;
}): ReactNode {
  const { t } = useAreaTexts(dataTexts);
  const words = useWords();
  const [draft, setDraft] = useState(() => draftOf(column, entity[column.name]));
  const [other, setOther] = useState<{ readonly value: unknown }>();
  const { busy, problem, run } = useWork();
  // What the row shows is from when it was read: the state is asked for while somebody types.
  const known = useRef<Promise<Stated>>(undefined);
  const shown = useRef(entity[column.name]);
  useEffect(() => {
    known.current = readObject(type, entity.id, [column]);
    // Whether it can be read is told when it is saved.
    known.current.catch(() => undefined);
  }, []);
  const next = valueOf(column, draft);
  const conflictWith = (now: Stated): void => {
    known.current = Promise.resolve(now);
    shown.current = now.entity[column.name];
    setOther({ value: shown.current });
  };
  const write = async (): Promise<void> => {
    if (next === undefined) return;
    if (!isChanged(column, draft, shown.current) && other === undefined) {
      onEnd(undefined);
      return;
    }
    const seen = await (known.current ?? readObject(type, entity.id, [column])).catch(() => undefined);
    const stated = seen ?? (await readObject(type, entity.id, [column]));
    if (column.relation?.many !== true && !isSame(column, stated.entity[column.name], shown.current)) {
      conflictWith(stated);
      return;
    }
    const { conflicts, now } = await save(type, stated, [{ column, draft }]);
    if (conflicts.length > 0) conflictWith(now);
    else onEnd(now.entity);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      void run(write);
    }
  };
  return (
    <form
      className="editor"
      onKeyDown={(event) => {
        event.stopPropagation();
        // What is open within the field is closed first.
        if (event.key === 'Escape' && !event.defaultPrevented) onEnd(undefined);
      }}
      onSubmit={(event) => {
        event.preventDefault();
        void run(write);
      }}
    >
      <div className={`inner ${column.kind}${column.long ? ' long' : ''}`}>
        <ValueField
          column={column}
          path={pathOf(type, entity.id)}
          label={t('data.edit', { name: column.name })}
          draft={draft}
          onChange={setDraft}
          onKeyDown={onKeyDown}
          invalid={next === undefined}
          autoFocus
        />
        <div className="below">
          {other === undefined ? null : (
            <p className="notice note" role="status">
              {t('data.conflict', { value: words(column, other.value) || t('data.nothing') })}
            </p>
          )}
          <Trouble problem={problem} />
          <Button type="submit" kind="main" disabled={busy || next === undefined}>
            {t('app.save')}
          </Button>
          <Button
            onClick={() => {
              onEnd(undefined);
            }}
          >
            {t('app.cancel')}
          </Button>
        </div>
      </div>
    </form>
  );
}
