/** A form for a new object, with a field for each property that can be written. */
import { type ReactNode, useState } from 'react';
import { Button } from '../../../common/parts.js';
import { useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { Modal } from '../../parts/modal.js';
import { create } from '../../server/rest.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { dataTexts } from '../../texts/data.js';
import type { Column } from '../columns.js';
import { EMPTY, isChanged, valueOf, type Draft } from '../drafts.js';
import { ObjectFields } from './object-fields.js';

export function CreateObject({
  type,
  columns,
  onCreated,
}: {
  readonly type: string;
  readonly columns: readonly Column[];
  readonly onCreated: () => void;
}): ReactNode {
  const { t } = useAreaTexts(dataTexts);
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button
        kind="main"
        onClick={() => {
          setOpen(true);
        }}
      >
        {t('data.new')}
      </Button>
      {open ? (
        <Form
          type={type}
          columns={columns}
          onClose={() => {
            setOpen(false);
          }}
          onCreated={() => {
            setOpen(false);
            onCreated();
          }}
        />
      ) : null}
    </>
  );
}

function Form(props: {
  readonly type: string;
  readonly columns: readonly Column[];
  readonly onClose: () => void;
  readonly onCreated: () => void;
}): ReactNode {
  const { type, columns, onClose, onCreated } = props;
  const { t } = useAreaTexts(dataTexts);
  const [drafts, setDrafts] = useState<Readonly<Record<string, Draft>>>({});
  const { busy, problem, run } = useWork();
  const fields = columns.filter(({ readOnly }) => !readOnly);
  const draftFor = ({ name }: Column): Draft => drafts[name] ?? EMPTY;
  const isWrong = fields.some((column) => valueOf(column, draftFor(column)) === undefined);
  const save = async (): Promise<void> => {
    const values: Record<string, unknown> = {};
    for (const column of fields) {
      const draft = draftFor(column);
      if (!isChanged(column, draft, undefined)) continue;
      const isMany = column.relation?.many === true;
      values[column.name] = isMany ? draft.picked.map(({ id }) => id) : valueOf(column, draft)?.value;
    }
    await create(encodeURIComponent(type), values);
    onCreated();
  };
  return (
    <Modal title={t('data.createTitle', { type })} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run(save);
        }}
      >
        <Trouble problem={problem} />
        <ObjectFields
          columns={fields}
          prefix="new"
          values={{}}
          drafts={draftFor}
          onDraft={({ name }, draft) => {
            setDrafts({ ...drafts, [name]: draft });
          }}
          notes={(column) => {
            if (valueOf(column, draftFor(column)) === undefined) return t('data.noText');
            const told = problem?.problems.find(({ property }) => property === column.name);
            return told === undefined ? undefined : `${told.token?.replaceAll('_', ' ') ?? ''} ${told.detail ?? ''}`;
          }}
        />
        <div className="row">
          <Button type="submit" kind="main" disabled={busy || isWrong}>
            {t('data.create')}
          </Button>
          <Button onClick={onClose}>{t('app.cancel')}</Button>
        </div>
      </form>
    </Modal>
  );
}
