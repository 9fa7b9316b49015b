/** A form for a new permission for an endpoint. */
import { type ReactNode, useState } from 'react';
import { Button, TextField } from '../../../common/parts.js';
import { useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { Modal } from '../../parts/modal.js';
import { create } from '../../server/rest.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { security } from '../../texts/security.js';
import { problemAt } from '../edited.js';
import { Ticks } from '../form-parts.js';
import { AUDIENCES, flagsOf, METHODS, VISIBILITY, type Audience, type Method } from './flags.js';

export function CreatePermission({
  onCreated,
  onClose,
}: {
  readonly onCreated: (told: string) => void;
  readonly onClose: () => void;
}): ReactNode {
  const { t } = useAreaTexts(security);
  const [signature, setSignature] = useState('');
  const [audience, setAudience] = useState<Audience | 'chosen'>('user');
  const [methods, setMethods] = useState<ReadonlySet<Method>>(new Set(['GET']));
  const { busy, problem, run } = useWork();
  const save = async (): Promise<void> => {
    const isChosen = audience === 'chosen';
    await create('ResourceAccess', {
      signature,
      flags: flagsOf(isChosen ? 'user' : audience, methods),
      ...(isChosen ? {} : { [VISIBILITY[audience]]: true }),
    });
    onCreated(t('sec.created', { name: signature }));
    onClose();
  };
  return (
    <Modal title={t('sec.newPermission')} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run(save);
        }}
      >
        <Trouble problem={problem} />
        <TextField
          label={t('sec.signature')}
          value={signature}
          onChange={setSignature}
          help={t('sec.signatureHelp')}
          problem={problemAt(problem, 'signature')}
        />
        <label className="field sec-labelled">
          {t('sec.forWhom')}
          <select
            value={audience}
            onChange={(event) => {
              setAudience([...AUDIENCES, 'chosen' as const].find((one) => one === event.target.value) ?? 'user');
            }}
          >
            <option value="user">{t('sec.allUsers')}</option>
            <option value="anonymous">{t('sec.onlyOthers')}</option>
            <option value="chosen">{t('sec.onlyChosen')}</option>
          </select>
        </label>
        <Ticks legend={t('sec.methods')} options={METHODS} chosen={methods} onChange={setMethods} />
        <div className="row">
          <Button type="submit" kind="main" disabled={busy || signature === ''}>
            {t('sec.create')}
          </Button>
          <Button onClick={onClose}>{t('app.cancel')}</Button>
        </div>
      </form>
    </Modal>
  );
}
