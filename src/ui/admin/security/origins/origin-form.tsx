/** A form for one entry of CORS, a new one or one that is there. */
import { type ReactNode, useState } from 'react';
import { Button, Notice, TextField } from '../../../common/parts.js';
import { useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { Modal } from '../../parts/modal.js';
import { create } from '../../server/rest.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { security } from '../../texts/security.js';
import { DeleteFooter } from '../delete-footer.js';
import { problemAt, textIn, useEdited, type Edited, type Values } from '../edited.js';
import { SaveOf } from '../form-parts.js';
import type { Origin } from './origin.js';

const FIELDS = ['requestUri', 'acceptedOrigins', 'allowMethods', 'allowHeaders', 'exposeHeaders', 'maxAge'] as const;

interface FormProps {
  readonly onDone: (told: string) => void;
  readonly onClose: () => void;
}

export function OriginForm({ origin, ...rest }: FormProps & { readonly origin: Origin | undefined }): ReactNode {
  return origin === undefined ? <NewOrigin {...rest} /> : <OldOrigin origin={origin} {...rest} />;
}

function NewOrigin({ onDone, onClose }: FormProps): ReactNode {
  const { t } = useAreaTexts(security);
  const [values, setValues] = useState<Values>({ allowCredentials: 'false' });
  const { busy, problem, run } = useWork();
  const edited = {
    values,
    problem,
    set: (key: string, value: unknown) => {
      setValues({ ...values, [key]: value });
    },
  };
  return (
    <Modal title={t('sec.newOrigin')} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run(async () => {
            await create('CorsSetting', values);
            onDone(t('sec.created', { name: textIn(values, 'requestUri') }));
          });
        }}
      >
        <Trouble problem={problem} />
        <Fields edited={edited} />
        <div className="row">
          <Button type="submit" kind="main" disabled={busy}>
            {t('sec.create')}
          </Button>
          <Button onClick={onClose}>{t('app.cancel')}</Button>
        </div>
      </form>
    </Modal>
  );
}

function OldOrigin({ origin, onDone, onClose }: FormProps & { readonly origin: Origin }): ReactNode {
  const { t } = useAreaTexts(security);
  const path = `CorsSetting/${origin.id}`;
  const edited = useEdited(path, origin);
  const name = origin.requestUri ?? '';
  return (
    <Modal title={name} onClose={onClose}>
      <Fields edited={edited} />
      <SaveOf
        edited={edited}
        onSaved={() => {
          onDone(t('sec.saved', { name }));
        }}
      />
      <DeleteFooter
        path={path}
        question={t('sec.deleteOrigin', { name })}
        onDeleted={() => {
          onDone(t('sec.deleted', { name }));
        }}
        onClose={onClose}
      />
    </Modal>
  );
}

function Fields({ edited }: { readonly edited: Pick<Edited, 'values' | 'set' | 'problem'> }): ReactNode {
  const { t } = useAreaTexts(security);
  const { values, set, problem } = edited;
  const origins = textIn(values, 'acceptedOrigins');
  const withCookies = values['allowCredentials'] === 'true';
  return (
    <>
      {FIELDS.map((key) => (
        <TextField
          key={key}
          label={t(key === 'requestUri' ? 'sec.path' : `sec.${key}`)}
          value={textIn(values, key)}
          onChange={(value) => {
            set(key, value === '' ? null : key === 'maxAge' && /^\d{1,9}$/.test(value) ? Number(value) : value);
          }}
          help={t(`sec.${key}Help`)}
          problem={problemAt(problem, key)}
        />
      ))}
      <div className="sec-tick field">
        <input
          id="allow-credentials"
          type="checkbox"
          checked={withCookies}
          onChange={(event) => {
            set('allowCredentials', event.target.checked ? 'true' : 'false');
          }}
        />
        <label htmlFor="allow-credentials">{t('sec.allowCredentials')}</label>
      </div>
      {withCookies && origins.split(',').some((one) => one.trim() === '*') ? (
        <Notice kind="note">{t('sec.starCookies')}</Notice>
      ) : null}
    </>
  );
}
