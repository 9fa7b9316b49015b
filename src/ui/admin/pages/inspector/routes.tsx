/** Addresses of a page with placeholders (docs/interface/pages.md 2.5). */
import { type ReactNode, useState } from 'react';
import { Button } from '../../../common/parts.js';
import { useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { call, create, list, remove, type Entity } from '../../server/rest.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { pages } from '../../texts/pages.js';
import { useDraft } from './draft.js';
import { DraftForm } from './draft-form.js';
import type { OfNode } from './of-node.js';
import { useRead } from './use-read.js';

/** Routes of one page that are shown. */
const ROUTES = 100;
const TYPES = ['String', 'Integer', 'Long', 'Double', 'Float', 'Date', 'Boolean'];

interface Parameter extends Entity {
  readonly position: number | null;
}

interface Route extends Entity {
  readonly parameters: readonly Parameter[];
}

/** The names of the placeholders in a route, each once, in their order. */
export const placeholdersOf = (route: string): readonly string[] => [
  ...new Set([...route.matchAll(/\{([a-z][a-zA-Z0-9]+)\}/g)].map(([, name = '']) => name)),
];

export function Routes({ node, revision, touched }: OfNode): ReactNode {
  const { t } = useAreaTexts(pages);
  const [turn, setTurn] = useState(0);
  const [text, setText] = useState('');
  const { value: routes, problem: unread } = useRead(async () => {
    const { result } = await list<Route>(
      'PagePath',
      { page: node.id, _sort: 'name', _pageSize: ROUTES, _page: 1, _outputNestingDepth: 2 },
      { properties: ['id', 'type', 'name', 'priority', 'parameters', 'position'] },
    );
    return result;
  }, [node.id, revision, turn]);
  const { busy, problem, run } = useWork();
  const again = (): void => {
    setTurn((before) => before + 1);
    touched();
  };
  const add = async (): Promise<void> => {
    const path = text.startsWith('/') ? text : `/${text}`;
    const id = await create('PagePath', { name: path, page: node.id });
    await call(`PagePath/${id}/updatePathAndParameters`, { path, names: placeholdersOf(path) });
    setText('');
    again();
  };
  return (
    <>
      <p className="soft">{t('pages.routesHelp')}</p>
      <Trouble problem={problem ?? unread} />
      {(routes ?? []).map((route) => (
        <RouteForm key={route.id} route={route} revision={revision + turn} again={again} />
      ))}
      {routes !== undefined && routes.length === 0 ? <p className="soft">{t('pages.noRoutes')}</p> : null}
      <form
        className="row"
        onSubmit={(event) => {
          event.preventDefault();
          void run(add);
        }}
      >
        <div className="field">
          <label htmlFor="new-route">{t('pages.newRoute')}</label>
          <input
            id="new-route"
            value={text}
            placeholder="/town/{name}"
            spellCheck={false}
            onChange={(event) => {
              setText(event.target.value);
            }}
          />
        </div>
        <Button type="submit" kind="main" disabled={busy || text.trim() === ''}>
          {t('pages.add')}
        </Button>
      </form>
    </>
  );
}

function RouteForm(props: { readonly route: Route; readonly revision: number; readonly again: () => void }): ReactNode {
  const { route, revision, again } = props;
  const { t } = useAreaTexts(pages);
  const { busy, problem, run } = useWork();
  const draft = useDraft({
    path: `PagePath/${route.id}`,
    form: 'route',
    keys: ['name', 'priority'],
    revision,
    onSaved: () => {
      void run(async () => {
        const path = String(draft.values?.['name'] ?? route.name ?? '');
        await call(`PagePath/${route.id}/updatePathAndParameters`, { path, names: placeholdersOf(path) });
        again();
      });
    },
  });
  const sorted = [...route.parameters].sort((a, b) => (a.position ?? 0) - (b.position ?? 0));
  return (
    <section className="card" aria-label={route.name ?? route.id}>
      <DraftForm
        draft={draft}
        fields={[
          { key: 'name', label: t('pages.route') },
          { key: 'priority', label: t('pages.priority'), kind: 'number', help: t('pages.priorityHelp') },
        ]}
      />
      {sorted.map(({ id, name }) => (
        <details key={id}>
          <summary>
            <code>{`{${name ?? ''}}`}</code>
          </summary>
          <ParameterForm id={id} revision={revision} again={again} />
        </details>
      ))}
      <Trouble problem={problem} />
      <Button
        kind="danger"
        aria-label={`${t('app.delete')}: ${route.name ?? ''}`}
        disabled={busy}
        onClick={() => {
          void run(async () => {
            await remove(`PagePath/${route.id}`);
            again();
          });
        }}
      >
        {t('app.delete')}
      </Button>
    </section>
  );
}

function ParameterForm(props: {
  readonly id: string;
  readonly revision: number;
  readonly again: () => void;
}): ReactNode {
  const { id, revision, again } = props;
  const { t } = useAreaTexts(pages);
  const draft = useDraft({
    path: `PagePathParameter/${id}`,
    form: 'parameter',
    keys: ['valueType', 'defaultValue', 'isOptional'],
    revision,
    onSaved: again,
  });
  return (
    <DraftForm
      draft={draft}
      fields={[
        { key: 'valueType', label: t('pages.valueType'), kind: 'choice', options: TYPES },
        { key: 'defaultValue', label: t('pages.defaultValue') },
        { key: 'isOptional', label: t('pages.isOptional'), kind: 'flag' },
      ]}
    />
  );
}
