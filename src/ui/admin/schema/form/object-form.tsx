/**
 * A form for an object of the schema. What was changed is sent alone. Before it is saved the object is read again: when somebody else
 * has changed the same meanwhile that is told, and what was typed stays.
 */
import { type ReactNode, useState } from 'react';
import { Button, Confirm, Notice } from '../../../common/parts.js';
import { useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { Modal } from '../../parts/modal.js';
import { OthersChanged } from '../../parts/others-changed.js';
import { create, remove, type Entity } from '../../server/rest.js';
import { saveValues, type Met } from '../../server/save-over.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { schemaTexts } from '../../texts/schema.js';
import { useDraft, type Draft, type Values } from './draft.js';
import { FormContext } from './fields.js';
import { fieldOf } from './problems.js';

export interface ObjectFormProps {
  /** `SchemaProperty` and the like. */
  readonly collection: string;
  /** Absent: a new one. */
  readonly id?: string | undefined;
  /** What the form shows at first. */
  readonly initial: Values;
  /** The values of the form, of an object as the view `all` has it. */
  readonly valuesOf: (entity: Entity) => Values;
  /** What is sent of what was changed (of a new one: of all values). */
  readonly inputOf?: (values: Values, all: Values) => Values;
  readonly onDone: (id: string) => void;
  /** Absent: it cannot be deleted here. */
  readonly deleteQuestion?: string;
  readonly onDeleted?: () => void;
  readonly onClose?: () => void;
  readonly children: (values: Values, draft: Draft) => ReactNode;
}

export function ObjectForm(props: ObjectFormProps & { readonly draft: Draft }): ReactNode {
  const {
    collection,
    id,
    valuesOf,
    inputOf = (values) => values,
    onDone,
    deleteQuestion,
    onDeleted,
    onClose,
    children,
    draft,
  } = props;
  const { t } = useAreaTexts(schemaTexts);
  const { busy, problem, run } = useWork();
  const [asking, setAsking] = useState(false);
  const [conflicts, setConflicts] = useState<readonly Met[]>([]);
  const [saved, setSaved] = useState(false);
  const path = `${collection}/${id ?? ''}`;
  const save = async (): Promise<void> => {
    setSaved(false);
    if (id === undefined) {
      const all = Object.fromEntries(Object.entries(draft.values).filter(([, value]) => (value ?? '') !== ''));
      onDone(await create(collection, inputOf(all, draft.values)));
      return;
    }
    const { base, changed, values } = draft;
    const { met, now } = await saveValues({
      path,
      base,
      changed,
      valuesOf,
      inputOf: (sent) => inputOf(sent, values),
    });
    setConflicts(met);
    draft.rebase({ ...base, ...now });
    if (met.length > 0) return;
    setSaved(true);
    onDone(id);
  };
  const isPlaced = problem !== undefined && problem.problems.some((one) => fieldOf(one, draft.values) !== undefined);
  return (
    <FormContext value={{ draft, problem }}>
      <form
        className="object-form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void run(save);
        }}
      >
        {children(draft.values, draft)}
        {isPlaced ? <Notice kind="wrong">{t('form.refused')}</Notice> : <Trouble problem={problem} />}
        <OthersChanged met={conflicts} />
        {saved && !draft.isDirty ? <Notice kind="good">{t('form.saved')}</Notice> : null}
        {asking ? (
          <Confirm
            question={deleteQuestion ?? ''}
            yes={t('app.delete')}
            no={t('app.cancel')}
            disabled={busy}
            onYes={() => {
              void run(async () => {
                await remove(path);
                onDeleted?.();
              });
            }}
            onNo={() => {
              setAsking(false);
            }}
          />
        ) : (
          <div className="row form-end">
            <Button type="submit" kind="main" disabled={busy || (id !== undefined && !draft.isDirty)}>
              {id === undefined ? t('form.create') : t('app.save')}
            </Button>
            {onClose === undefined ? null : <Button onClick={onClose}>{t('app.cancel')}</Button>}
            <span className="grow" />
            {id === undefined || deleteQuestion === undefined ? null : (
              <Button
                kind="danger"
                onClick={() => {
                  setAsking(true);
                }}
              >
                {t('app.delete')}
              </Button>
            )}
          </div>
        )}
      </form>
    </FormContext>
  );
}

/** The form in the page. */
export function ObjectCard(props: ObjectFormProps): ReactNode {
  const draft = useDraft(props.initial);
  return (
    <div className="card form-card">
      <ObjectForm {...props} draft={draft} />
    </div>
  );
}

/** The form in a window, which asks before it throws away what was typed. */
export function ObjectWindow(
  props: ObjectFormProps & { readonly title: string; readonly onClose: () => void },
): ReactNode {
  const { title, onClose } = props;
  const { t } = useAreaTexts(schemaTexts);
  const draft = useDraft(props.initial);
  const [leaving, setLeaving] = useState(false);
  const close = (): void => {
    if (draft.isDirty) setLeaving(true);
    else onClose();
  };
  return (
    <Modal title={title} wide onClose={close}>
      {leaving ? (
        <Confirm
          question={t('form.leave')}
          yes={t('form.discard')}
          no={t('form.stay')}
          onYes={onClose}
          onNo={() => {
            setLeaving(false);
          }}
        />
      ) : null}
      <ObjectForm {...props} draft={draft} onClose={close} />
    </Modal>
  );
}
