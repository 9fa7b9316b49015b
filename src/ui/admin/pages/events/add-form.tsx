/** Asks for a type and its properties, and puts a form for them into the page. */
import { type ReactNode, useState } from 'react';
import { Button, TextField, Tick } from '../../../common/parts.js';
import { useLoaded, useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { Modal } from '../../parts/modal.js';
import { loadTypes } from '../../server/schema.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { pages } from '../../texts/pages.js';
import { useRead } from '../inspector/use-read.js';
import type { PageNode } from '../page/nodes.js';
import { addForm, typedProperties } from './form-of-type.js';

const capitalised = (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1);

/** The window with the form. `into`: the node that the form is put into; `onAdded` gets the id of the form, after `onClose`. */
export function AddForm(props: {
  readonly into: PageNode;
  readonly onAdded: (id: string) => void;
  readonly onClose: () => void;
}): ReactNode {
  const { into, onAdded, onClose } = props;
  const { t } = useAreaTexts(pages);
  const [type, setType] = useState('');
  const [labels, setLabels] = useState<Readonly<Record<string, string>>>({});
  const [send, setSend] = useState(t('pages.formSend'));
  const { busy, problem, run } = useWork();
  const { value: types, problem: unread } = useLoaded(loadTypes);
  const { value: properties, problem: unreadProperties } = useRead(
    () => (type === '' ? Promise.resolve([]) : typedProperties(type)),
    [type],
  );
  const chosen = (properties ?? []).filter(({ jsonName }) => labels[jsonName] !== undefined);
  const add = async (): Promise<void> => {
    const fields = chosen.map((property) => ({ property, label: (labels[property.jsonName] ?? '').trim() }));
    const id = await addForm(into, type, fields, send);
    onClose();
    onAdded(id);
  };
  const ownFirst = [...(types ?? [])].sort((a, b) => Number(a.isBuiltin) - Number(b.isBuiltin));
  return (
    <Modal title={t('pages.addForm')} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run(add);
        }}
      >
        <Trouble problem={problem ?? unread ?? unreadProperties} />
        <p className="soft">{t('pages.formHelp')}</p>
        <div className="field">
          <label htmlFor="form-type">{t('pages.dataType')}</label>
          <select
            id="form-type"
            value={type}
            onChange={(event) => {
              setType(event.target.value);
              setLabels({});
            }}
          >
            <option value="">—</option>
            {ownFirst.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </div>
        {properties === undefined || properties.length === 0 ? null : (
          <fieldset className="form-fields">
            <legend className="legend">{t('pages.formFields')}</legend>
            {properties.map(({ jsonName }) => {
              const label = labels[jsonName];
              return (
                <div key={jsonName} className="form-field">
                  <Tick
                    label={jsonName}
                    checked={label !== undefined}
                    onChange={(isOn) => {
                      const { [jsonName]: _, ...others } = labels;
                      setLabels(isOn ? { ...labels, [jsonName]: capitalised(jsonName) } : others);
                    }}
                  />
                  {label === undefined ? null : (
                    <input
                      value={label}
                      aria-label={t('pages.formLabel', { name: jsonName })}
                      onChange={(event) => {
                        setLabels({ ...labels, [jsonName]: event.target.value });
                      }}
                    />
                  )}
                </div>
              );
            })}
          </fieldset>
        )}
        <TextField label={t('pages.formButton')} value={send} onChange={setSend} />
        <div className="row">
          <Button type="submit" kind="main" disabled={busy || chosen.length === 0}>
            {t('pages.add')}
          </Button>
          <Button onClick={onClose}>{t('app.cancel')}</Button>
        </div>
      </form>
    </Modal>
  );
}
