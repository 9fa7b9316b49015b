/** Values that an action gets (docs/interface/pages.md 7.1). */
import { type ReactNode, useState } from 'react';
import { Button } from '../../../common/parts.js';
import { useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { create, list, read, remove, type Entity } from '../../server/rest.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { pages } from '../../texts/pages.js';
import { useDraft } from '../inspector/draft.js';
import { DraftForm, type FormField } from '../inspector/draft-form.js';
import { useRead } from '../inspector/use-read.js';
import { PARAMETERS } from './choices.js';
import { elementsOf, labelOf } from './elements.js';

/** Parameters of one action that are shown. */
const MOST = 100;
/** Elements that visitors put values into. */
const INPUTS = ['Input', 'Select', 'Textarea'];

interface Mapping extends Entity {
  readonly visibleToPublicUsers?: boolean;
  readonly visibleToAuthenticatedUsers?: boolean;
}

export function Parameters(props: {
  readonly mapping: string;
  readonly pageId: string;
  readonly revision: number;
  readonly isPaging: boolean;
  readonly touched: () => void;
}): ReactNode {
  const { mapping, pageId, revision, isPaging, touched } = props;
  const { t } = useAreaTexts(pages);
  const [turn, setTurn] = useState(0);
  const [name, setName] = useState('');
  const { value: parameters, problem: unread } = useRead(async () => {
    const { result } = await list(
      `ActionMapping/${mapping}/parameterMappings`,
      { _pageSize: MOST, _page: 1, _sort: 'parameterName' },
      { properties: ['id', 'type', 'parameterName'] },
    );
    return result;
  }, [mapping, revision, turn]);
  const { busy, problem, run } = useWork();
  const again = (): void => {
    setTurn((before) => before + 1);
    touched();
  };
  const add = async (): Promise<void> => {
    // Who sees the action sees its values.
    const { visibleToPublicUsers, visibleToAuthenticatedUsers } = await read<Mapping>(`ActionMapping/${mapping}/ui`, {
      _outputNestingDepth: 1,
    });
    await create('ParameterMapping', {
      actionMapping: mapping,
      parameterName: name.trim(),
      parameterType: isPaging ? 'page-param' : 'user-input',
      visibleToPublicUsers,
      visibleToAuthenticatedUsers,
    });
    setName('');
    again();
  };
  return (
    <section>
      <h3>{t('pages.parameters')}</h3>
      <Trouble problem={problem ?? unread} />
      {(parameters ?? []).map(({ id, parameterName }) => (
        <details key={id} className="action-value" open>
          <summary>
            <code>{typeof parameterName === 'string' ? parameterName : id}</code>
          </summary>
          <ParameterForm id={id} pageId={pageId} revision={revision + turn} touched={again} />
          <Button
            kind="danger"
            disabled={busy}
            aria-label={`${t('app.delete')}: ${typeof parameterName === 'string' ? parameterName : ''}`}
            onClick={() => {
              void run(async () => {
                await remove(`ParameterMapping/${id}`);
                again();
              });
            }}
          >
            {t('app.delete')}
          </Button>
        </details>
      ))}
      <form
        className="row"
        onSubmit={(event) => {
          event.preventDefault();
          void run(add);
        }}
      >
        <div className="field">
          <label htmlFor={`new-parameter-${mapping}`}>{t('pages.newParameter')}</label>
          <input
            id={`new-parameter-${mapping}`}
            value={name}
            spellCheck={false}
            onChange={(event) => {
              setName(event.target.value);
            }}
          />
        </div>
        <Button type="submit" disabled={busy || name.trim() === ''}>
          {t('pages.add')}
        </Button>
      </form>
    </section>
  );
}

function ParameterForm(props: {
  readonly id: string;
  readonly pageId: string;
  readonly revision: number;
  readonly touched: () => void;
}): ReactNode {
  const { id, pageId, revision, touched } = props;
  const { t } = useAreaTexts(pages);
  const keys = ['parameterName', 'parameterType', 'inputElement', 'constantValue', 'scriptExpression'];
  const draft = useDraft({ path: `ParameterMapping/${id}`, form: 'parameter', keys, revision, onSaved: touched });
  const { value: inputs } = useRead(() => elementsOf(pageId, INPUTS), [pageId, revision]);
  const type = draft.values?.['parameterType'];
  const fields: readonly FormField[] = [
    { key: 'parameterName', label: t('pages.parameterName') },
    {
      key: 'parameterType',
      label: t('pages.parameterType'),
      kind: 'choice',
      options: PARAMETERS.map((name) => [name, t(`pages.parameter.${name}`)] as const),
    },
    ...(type === 'user-input'
      ? [
          {
            key: 'inputElement',
            label: t('pages.inputElement'),
            kind: 'choice' as const,
            options: [['', '—'] as const, ...(inputs ?? []).map((node) => [node.id, labelOf(node)] as const)],
          },
        ]
      : type === 'constant-value' || type === 'pagesize-param'
        ? [{ key: 'constantValue', label: t('pages.constantValue') }]
        : type === 'script-expression'
          ? [{ key: 'scriptExpression', label: t('pages.scriptExpression') }]
          : []),
  ];
  return <DraftForm draft={draft} fields={fields} />;
}
