/** A new page: a title, a heading and a text, or the source of a widget that is a template of pages (docs/interface/pages.md 8.1, 9). */
import { type ReactNode, useState } from 'react';
import { Button, TextField, Tick } from '../../../common/parts.js';
import { useLoaded, useWork } from '../../../common/work.js';
import { goOn, placeOf } from '../../frame/place.js';
import { Trouble } from '../../frame/trouble.js';
import { Modal } from '../../parts/modal.js';
import { call, change, list, type Entity } from '../../server/rest.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { pages } from '../../texts/pages.js';
import { Visibility, type Seen } from './visibility.js';

/** Templates of pages, at most as many as a list of choices can have. */
const TEMPLATES = 200;

export function NewPage({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { t } = useAreaTexts(pages);
  const [name, setName] = useState('');
  const [from, setFrom] = useState('');
  const [seen, setSeen] = useState<Seen>({ publicly: true, byUsers: true });
  const [dontCache, setDontCache] = useState(true);
  /** Made, but not all was said of it: who tries again does not want a second one. */
  const [made, setMade] = useState<string>();
  const { busy, problem, run } = useWork();
  const { value: templates } = useLoaded(async () => {
    const { result } = await list<Entity & { readonly source?: string | null }>(
      'Widget',
      { isPageTemplate: 'true', _sort: 'name', _pageSize: TEMPLATES, _page: 1 },
      { properties: ['id', 'type', 'name', 'source'] },
    );
    return result;
  });
  const make = async (): Promise<string | undefined> => {
    const template = templates?.find(({ id }) => id === from);
    const page =
      template === undefined
        ? await call<Entity>('Page/createSimplePage', {
            name,
            visibleToPublicUsers: seen.publicly,
            visibleToAuthenticatedUsers: seen.byUsers,
          })
        : await call<Entity>('Page/importPage', {
            name,
            code: template.source ?? '',
            publicVisible: seen.publicly,
            authVisible: seen.byUsers,
            processDeploymentInfo: true,
          });
    return page?.id;
  };
  const submit = async (): Promise<void> => {
    const id = made ?? (await make());
    setMade(id);
    // Else browsers keep a copy while the page stays as it is, whatever its data do.
    if (id !== undefined && dontCache) await change(`Page/${id}`, { dontCache });
    onClose();
    if (id !== undefined) goOn(placeOf('pages', id));
  };
  return (
    <Modal title={t('pages.new')} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run(submit);
        }}
      >
        <Trouble problem={problem} />
        <fieldset disabled={made !== undefined}>
          <TextField label={t('pages.name')} value={name} onChange={setName} help={t('pages.nameHelp')} />
          {templates === undefined || templates.length === 0 ? null : (
            <div className="field">
              <label htmlFor="page-from">{t('pages.from')}</label>
              <select
                id="page-from"
                value={from}
                onChange={(event) => {
                  setFrom(event.target.value);
                }}
              >
                <option value="">{t('pages.simple')}</option>
                {templates.map(({ id, name: title }) => (
                  <option key={id} value={id}>
                    {title ?? id}
                  </option>
                ))}
              </select>
            </div>
          )}
          <Visibility seen={seen} onChange={setSeen} />
        </fieldset>
        <Tick
          label={t('pages.dontCache')}
          help={t('pages.dontCacheHelp')}
          checked={dontCache}
          onChange={setDontCache}
        />
        <div className="row">
          <Button type="submit" kind="main" disabled={busy || name.trim() === ''}>
            {t('pages.create')}
          </Button>
          <Button onClick={onClose}>{t('app.cancel')}</Button>
        </div>
      </form>
    </Modal>
  );
}
