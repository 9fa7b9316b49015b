/** Writes a widget: its source, what its dialog asks for, where it stands in the palette. */
import { type ReactNode, useEffect, useState } from 'react';
import { Button, TextField, Tick } from '../../../common/parts.js';
import { useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { CodeEditor } from '../../parts/code-editor.js';
import { Modal } from '../../parts/modal.js';
import { create, remove } from '../../server/rest.js';
import { OthersChanged } from '../../parts/others-changed.js';
import { typedSince } from '../../server/rebase.js';
import { isSame, saveValues, type Met, type Values } from '../../server/save-over.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { pages } from '../../texts/pages.js';
import { readWidget, type Widget } from './widgets.js';

interface Written {
  readonly name: string;
  readonly source: string;
  readonly configuration: string;
  readonly description: string;
  readonly treePath: string;
  readonly isPageTemplate: boolean;
}

const EMPTY: Written = {
  name: '',
  source: '',
  configuration: '',
  description: '',
  treePath: '',
  isPageTemplate: false,
};

const writtenOf = ({ name, source, configuration, description, treePath, isPageTemplate }: Widget): Written => ({
  name: name ?? '',
  source: source ?? '',
  configuration: configuration ?? '',
  description: description ?? '',
  treePath: treePath ?? '',
  isPageTemplate: isPageTemplate ?? false,
});

const isJson = (text: string): boolean => {
  try {
    return text.trim() === '' || typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
};

export function WidgetForm({
  id,
  onClose,
}: {
  readonly id: string | undefined;
  readonly onClose: () => void;
}): ReactNode {
  const { t } = useAreaTexts(pages);
  const [written, setWritten] = useState<Written | undefined>(id === undefined ? EMPTY : undefined);
  const [base, setBase] = useState<Values>({});
  const [met, setMet] = useState<readonly Met[]>([]);
  const { busy, problem, run } = useWork();
  useEffect(() => {
    if (id !== undefined)
      void run(async () => {
        const now = writtenOf(await readWidget(id));
        setWritten(now);
        setBase({ ...now });
      });
  }, [id]);
  const save = async (): Promise<void> => {
    if (written === undefined) return;
    if (id === undefined) await create('Widget', { ...written });
    else {
      const changed = Object.fromEntries(Object.entries(written).filter(([key, value]) => !isSame(base[key], value)));
      const { met: found, now } = await saveValues({
        path: `Widget/${id}`,
        base,
        changed,
        valuesOf: (entity) => ({ ...writtenOf(entity) }),
        properties: Object.keys(EMPTY),
      });
      setMet(found);
      setBase(now);
      setWritten((typed = written) => ({
        ...written,
        ...now,
        ...changed,
        ...typedSince(written, typed),
      }));
      if (found.length > 0) return;
    }
    onClose();
  };
  const isRight = written !== undefined && written.name.trim() !== '' && isJson(written.configuration);
  const set = (values: Partial<Written>): void => {
    setWritten((before) => ({ ...(before ?? EMPTY), ...values }));
  };
  return (
    <Modal title={id === undefined ? t('pages.newWidget') : t('pages.editWidget')} onClose={onClose} wide>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run(save);
        }}
      >
        <Trouble problem={problem} />
        <OthersChanged met={met} />
        {written === undefined ? null : (
          <>
            <div className="row">
              <TextField
                label={t('pages.name')}
                value={written.name}
                onChange={(name) => {
                  set({ name });
                }}
              />
              <TextField
                label={t('pages.treePath')}
                value={written.treePath}
                onChange={(treePath) => {
                  set({ treePath });
                }}
              />
            </div>
            <span className="label">{t('pages.source')}</span>
            <div className="code-field medium">
              <CodeEditor
                label={t('pages.source')}
                value={written.source}
                language="html"
                onChange={(source) => {
                  set({ source });
                }}
              />
            </div>
            <p className="soft">{t('pages.sourceHelp')}</p>
            <span className="label">{t('pages.configuration')}</span>
            <div className="code-field medium">
              <CodeEditor
                label={t('pages.configuration')}
                value={written.configuration}
                language="json"
                problems={isJson(written.configuration) ? [] : [{ line: 1, message: t('pages.noJson') }]}
                onChange={(configuration) => {
                  set({ configuration });
                }}
              />
            </div>
            {isJson(written.configuration) ? null : <p className="wrong">{t('pages.noJson')}</p>}
            <TextField
              label={t('pages.description')}
              value={written.description}
              onChange={(description) => {
                set({ description });
              }}
            />
            <Tick
              label={t('pages.isPageTemplate')}
              checked={written.isPageTemplate}
              onChange={(isOn) => {
                set({ isPageTemplate: isOn });
              }}
            />
          </>
        )}
        <div className="row">
          <Button type="submit" kind="main" disabled={busy || !isRight}>
            {t('app.save')}
          </Button>
          <Button onClick={onClose}>{t('app.cancel')}</Button>
          {id === undefined ? null : (
            <Button
              kind="danger"
              disabled={busy}
              onClick={() => {
                void run(async () => {
                  await remove(`Widget/${id}`);
                  onClose();
                });
              }}
            >
              {t('app.delete')}
            </Button>
          )}
        </div>
      </form>
    </Modal>
  );
}
