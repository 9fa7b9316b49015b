/** A new method, or a new function that belongs to no type. */
import { type ReactNode, useState } from 'react';
import { Button, TextField, Tick } from '../../common/parts.js';
import { useLoaded, useWork } from '../../common/work.js';
import { Trouble } from '../frame/trouble.js';
import { Modal } from '../parts/modal.js';
import { create, list } from '../server/rest.js';
import { loadTypes } from '../server/schema.js';
import { useAreaTexts } from '../texts/catalogue.js';
import { codeTexts } from '../texts/code.js';

const FIRST_SOURCE = '{\n  return null;\n}';

async function createMethod(name: string, type: string, isStatic: boolean): Promise<string> {
  const values = { name, source: FIRST_SOURCE, ...(type === '' ? {} : { isStatic }) };
  if (type === '') return create('SchemaMethod', values);
  const [node] = (await list('SchemaNode', { name: type }, { properties: ['id'] })).result;
  // A type that nobody has defined is one of the service.
  return create('SchemaMethod', {
    ...values,
    ...(node === undefined ? { staticSchemaNodeName: type } : { schemaNode: node.id }),
  });
}

export function CreateMethod({
  onClose,
  onCreated,
}: {
  readonly onClose: () => void;
  /** Its id, and the type that it belongs to; empty: none. */
  readonly onCreated: (id: string, type: string) => void;
}): ReactNode {
  const { t } = useAreaTexts(codeTexts);
  const { value: types = [], problem: missing } = useLoaded(loadTypes);
  const [name, setName] = useState('');
  const [type, setType] = useState('');
  const [isStatic, setIsStatic] = useState(false);
  const { busy, problem, run } = useWork();
  const own = types.filter(({ isBuiltin }) => !isBuiltin);
  const builtin = types.filter(({ isBuiltin }) => isBuiltin);
  const atName = problem?.problems.find(({ property }) => property === 'name');
  return (
    <Modal title={t('code.create')} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run(async () => {
            onCreated(await createMethod(name.trim(), type, isStatic), type);
          });
        }}
      >
        <Trouble problem={problem ?? missing} />
        <TextField
          label={t('code.name')}
          value={name}
          onChange={setName}
          help={t('code.nameHelp')}
          problem={atName === undefined ? undefined : (atName.token ?? '').replaceAll('_', ' ')}
        />
        <div className="field">
          <label htmlFor="method-type">{t('code.type')}</label>
          <select
            id="method-type"
            value={type}
            onChange={(event) => {
              setType(event.target.value);
            }}
          >
            <option value="">{t('code.noType')}</option>
            {[...own, ...builtin].map(({ name: one }) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </div>
        {type === '' ? null : <Tick label={t('code.staticHelp')} checked={isStatic} onChange={setIsStatic} />}
        <div className="row">
          <Button type="submit" kind="main" disabled={busy || name.trim() === ''}>
            {t('code.createGo')}
          </Button>
          <Button onClick={onClose}>{t('app.cancel')}</Button>
        </div>
      </form>
    </Modal>
  );
}
