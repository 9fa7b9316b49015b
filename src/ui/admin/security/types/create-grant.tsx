/** A form for rights of a user or group on all objects of a type. */
import { type ReactNode, useId, useState } from 'react';
import { Button } from '../../../common/parts.js';
import { useLoaded, useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { Modal } from '../../parts/modal.js';
import { ObjectPicker, type Picked } from '../../parts/object-picker.js';
import { create, read } from '../../server/rest.js';
import { GRANT_RIGHTS, type GrantRight, type TypeInfo } from '../../server/schema.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { security } from '../../texts/security.js';
import { Ticks } from '../form-parts.js';

/** Types and traits that a grant may name. */
async function grantable(): Promise<readonly TypeInfo[]> {
  const types = await read<readonly TypeInfo[]>('_schema');
  return types
    .filter(({ isRel, isServiceClass }) => !isRel && !isServiceClass)
    .sort((a, b) => Number(a.isBuiltin) - Number(b.isBuiltin) || a.name.localeCompare(b.name));
}

export function CreateGrant({
  onCreated,
  onClose,
}: {
  readonly onCreated: (told: string) => void;
  readonly onClose: () => void;
}): ReactNode {
  const { t } = useAreaTexts(security);
  const types = useLoaded(grantable);
  const [principal, setPrincipal] = useState<Picked>();
  const [name, setName] = useState('');
  const [rights, setRights] = useState<ReadonlySet<GrantRight>>(new Set(['allowRead']));
  const { busy, problem, run } = useWork();
  const typeId = useId();
  const type = types.value?.find((one) => one.name === name);
  const save = async (): Promise<void> => {
    if (principal === undefined || type === undefined) return;
    await create('SchemaGrant', {
      principal: principal.id,
      ...(type.isBuiltin ? { staticSchemaNodeName: type.name } : { schemaNode: { name: type.name } }),
      ...Object.fromEntries(GRANT_RIGHTS.map((right) => [right, rights.has(right)])),
    });
    onCreated(t('sec.created', { name: `${principal.name}: ${type.name}` }));
    onClose();
  };
  return (
    <Modal title={t('sec.newGrant')} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run(save);
        }}
      >
        <Trouble problem={problem ?? types.problem} />
        <div className="field">
          <ObjectPicker
            type="Principal"
            label={t('sec.userOrGroup')}
            placeholder={t('sec.userOrGroup')}
            picked={principal}
            onPick={setPrincipal}
          />
        </div>
        <div className="field">
          <label htmlFor={typeId}>{t('sec.type')}</label>
          <select
            id={typeId}
            value={name}
            onChange={(event) => {
              setName(event.target.value);
            }}
          >
            <option value="" />
            {(types.value ?? []).map((one) => (
              <option key={one.name}>{one.name}</option>
            ))}
          </select>
        </div>
        <Ticks
          legend={t('sec.rights')}
          options={GRANT_RIGHTS}
          titleOf={(right) => t(`sec.${right}`)}
          chosen={rights}
          onChange={setRights}
        />
        <div className="row">
          <Button
            type="submit"
            kind="main"
            disabled={busy || principal === undefined || type === undefined || rights.size === 0}
          >
            {t('sec.create')}
          </Button>
          <Button onClick={onClose}>{t('app.cancel')}</Button>
        </div>
      </form>
    </Modal>
  );
}
