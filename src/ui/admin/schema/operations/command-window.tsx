/** The window of one command: what it does, its parameters, and a question where it cannot be taken back. */
import { type ReactNode, useId, useState } from 'react';
import { Button, Confirm, Notice } from '../../../common/parts.js';
import { useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { Modal } from '../../parts/modal.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { operationTexts } from '../../texts/schema-operations.js';
import { isInternal, type Schema } from '../model.js';
import type { Command, CommandField } from './command-list.js';

type Typed = Readonly<Record<string, string>>;

/** The parameters; `undefined` where the values are no JSON object. */
function inputOf(fields: readonly CommandField[], typed: Typed): Readonly<Record<string, unknown>> | undefined {
  const input: Record<string, unknown> = {};
  for (const { name, kind } of fields) {
    const value = (typed[name] ?? '').trim();
    if (value === '') continue;
    if (kind !== 'values') input[name] = value;
    else {
      try {
        const values = JSON.parse(value) as unknown;
        if (typeof values !== 'object' || values === null || Array.isArray(values)) return undefined;
        Object.assign(input, values);
      } catch {
        return undefined;
      }
    }
  }
  return input;
}

export function CommandWindow(props: {
  readonly command: Command;
  readonly schema: Schema;
  readonly onClose: () => void;
  readonly onBegun: (job: number | undefined) => void;
}): ReactNode {
  const { command, schema, onClose, onBegun } = props;
  const { fields = [], question } = command;
  const { t } = useAreaTexts(operationTexts);
  const { busy, problem, run } = useWork();
  const [typed, setTyped] = useState<Typed>({});
  const [asking, setAsking] = useState(false);
  const input = inputOf(fields, typed);
  const isMissing = fields.some(({ name, needed = false }) => needed && (typed[name] ?? '').trim() === '');
  const begin = (): void => {
    void run(async () => {
      onBegun(await command.run(input ?? {}));
    });
  };
  return (
    <Modal title={t(command.title)} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (question === undefined) begin();
          else setAsking(true);
        }}
      >
        <p>{t(command.help)}</p>
        {fields.map((field) => (
          <Field
            key={field.name}
            field={field}
            schema={schema}
            value={typed[field.name] ?? ''}
            onChange={(value) => {
              setTyped({ ...typed, [field.name]: value });
            }}
          />
        ))}
        {input === undefined ? <Notice kind="wrong">{t('commands.noObject')}</Notice> : null}
        <Trouble problem={problem} />
        {asking && question !== undefined ? (
          <Confirm
            question={t(question)}
            yes={t('commands.yes')}
            no={t('app.cancel')}
            disabled={busy}
            onYes={begin}
            onNo={() => {
              setAsking(false);
            }}
          />
        ) : (
          <div className="row">
            <Button type="submit" kind="main" disabled={busy || isMissing || input === undefined}>
              {t('commands.run')}
            </Button>
            <Button onClick={onClose}>{t('app.cancel')}</Button>
          </div>
        )}
      </form>
    </Modal>
  );
}

function Field({
  field,
  schema,
  value,
  onChange,
}: {
  readonly field: CommandField;
  readonly schema: Schema;
  readonly value: string;
  readonly onChange: (value: string) => void;
}): ReactNode {
  const { t } = useAreaTexts(operationTexts);
  const id = useId();
  const shared = {
    id,
    value,
    onChange: (event: { readonly target: { readonly value: string } }): void => {
      onChange(event.target.value);
    },
  };
  const types = schema.types.filter(({ name, isServiceClass }) => !isServiceClass && !isInternal(name));
  return (
    <div className="field">
      <label htmlFor={id}>
        {t(field.label)}
        {field.needed === true ? ' *' : ''}
      </label>
      {field.kind === 'type' ? (
        <select {...shared}>
          <option value="">{field.needed === true || field.name !== 'type' ? '' : t('field.allTypes')}</option>
          {types.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      ) : field.kind === 'values' ? (
        <textarea {...shared} rows={4} spellCheck={false} placeholder='{"state": "open"}' />
      ) : (
        <input {...shared} spellCheck={false} autoComplete="off" />
      )}
    </div>
  );
}
