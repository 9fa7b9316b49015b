/** Edits one value in its place. What somebody else has written meanwhile is shown before it is replaced. */
import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { Button } from '../../common/parts.js';
import { useWork } from '../../common/work.js';
import { change, read, type Entity } from '../server/rest.js';
import { Trouble } from '../frame/trouble.js';
import { useTexts } from '../texts/index.js';
import type { Column } from './columns.js';
import { ValueField } from './field.js';
import { localTime, textOf, valueOf } from './values.js';

export function CellEditor({
  type,
  entity,
  column,
  onEnd,
}: {
  readonly type: string;
  readonly entity: Entity;
  readonly column: Column;
  /** With what was saved; undefined: nothing. */
  readonly onEnd: (values: Readonly<Record<string, unknown>> | undefined) => void;
}): ReactNode {
  const { t } = useTexts();
  const [known, setKnown] = useState(entity[column.name]);
  const [text, setText] = useState(() => (column.kind === 'date' ? localTime(known) : textOf(known)));
  const [other, setOther] = useState<string>();
  const { busy, problem, run } = useWork();
  const next = valueOf(column, text);
  const path = `${encodeURIComponent(type)}/${entity.id}`;
  const save = async (): Promise<void> => {
    if (next === undefined) return;
    const now = (await read<Entity>(`${path}/all`, { _outputNestingDepth: 1 }))[column.name];
    if (textOf(now) !== textOf(known)) {
      setKnown(now);
      setOther(textOf(now));
      return;
    }
    const values = { [column.name]: next.value };
    await change(path, values);
    onEnd(values);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    event.stopPropagation();
    if (event.key === 'Escape') onEnd(undefined);
    else if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      void run(save);
    }
  };
  return (
    <form
      className="editor"
      onSubmit={(event) => {
        event.preventDefault();
        void run(save);
      }}
    >
      <ValueField
        column={column}
        label={t('data.edit', { name: column.name })}
        text={text}
        onChange={setText}
        onKeyDown={onKeyDown}
        invalid={next === undefined}
        autoFocus
      />
      <div className="below">
        {other === undefined ? null : <p className="notice note">{t('data.conflict', { value: other })}</p>}
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
    </form>
  );
}
