/** One event action mapping: when, what, with which values, and what follows. */
import type { ReactNode } from 'react';
import { useLoaded } from '../../../common/work.js';
import { loadTypes } from '../../server/schema.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { pages } from '../../texts/pages.js';
import { useDraft, type Draft } from '../inspector/draft.js';
import { DraftField, DraftForm, type FormField } from '../inspector/draft-form.js';
import { ACTIONS, BEHAVIOURS, EVENTS, NOTIFICATIONS, WITH_TARGET } from './choices.js';
import { LinkedNodes } from './linked-nodes.js';
import { Parameters } from './parameters.js';

const KEYS = [
  'event',
  'action',
  'method',
  'dataType',
  'idExpression',
  'options',
  'dialogType',
  'dialogTitle',
  'dialogText',
  ...['success', 'failure'].flatMap((side) =>
    [
      'Notifications',
      'NotificationsPartial',
      'NotificationsEvent',
      'NotificationsDelay',
      'Behaviour',
      'Partial',
      'URL',
      'Event',
    ].map((key) => side + key),
  ),
];

export function MappingForm(props: {
  readonly id: string;
  readonly pageId: string;
  readonly revision: number;
  readonly touched: () => void;
}): ReactNode {
  const { id, pageId, revision, touched } = props;
  const { t } = useAreaTexts(pages);
  const draft = useDraft({ path: `ActionMapping/${id}`, form: 'mapping', keys: KEYS, revision, onSaved: touched });
  const { value: types } = useLoaded(loadTypes);
  const text = (key: string): string => {
    const value = draft.values?.[key];
    return typeof value === 'string' ? value : '';
  };
  const action = text('action');
  const isPaging = action.endsWith('-page');
  const fields: readonly FormField[] = [
    { key: 'event', label: t('pages.event'), kind: 'suggested', options: EVENTS, help: t('pages.eventHelp') },
    {
      key: 'action',
      label: t('pages.action'),
      kind: 'choice',
      options: ACTIONS.map((name) => [name, t(`pages.action.${name}`)] as const),
    },
    ...(action === 'create' || action === 'method'
      ? [
          {
            key: 'dataType',
            label: t('pages.dataType'),
            kind: 'suggested' as const,
            options: (types ?? []).map(({ name }) => name),
            ...(action === 'method' ? { help: t('pages.methodTypeHelp') } : {}),
          },
        ]
      : []),
    ...(action === 'method' ? [{ key: 'method', label: t('pages.method') }] : []),
    ...(WITH_TARGET.includes(action)
      ? [{ key: 'idExpression', label: t('pages.idExpression'), help: t('pages.idExpressionHelp') }]
      : []),
  ];
  const question: readonly FormField[] = [
    {
      key: 'dialogType',
      label: t('pages.dialogType'),
      kind: 'choice',
      options: [
        ['none', t('pages.dialog.none')],
        ['okcancel', t('pages.dialog.okcancel')],
      ],
    },
    ...(text('dialogType') === 'okcancel'
      ? [
          { key: 'dialogTitle', label: t('pages.dialogTitle') },
          { key: 'dialogText', label: t('pages.dialogText') },
        ]
      : []),
  ];
  return (
    <>
      <DraftForm draft={draft} fields={fields}>
        {question.map((field) => (
          <DraftField key={field.key} field={field} draft={draft} />
        ))}
        <Outcome side="success" draft={draft} />
        <Outcome side="failure" draft={draft} />
        <DraftField field={{ key: 'options', label: t('pages.options'), help: t('pages.optionsHelp') }} draft={draft} />
      </DraftForm>
      {(['success', 'failure'] as const).map((side) => (
        <Linked key={side} side={side} id={id} pageId={pageId} revision={revision} draft={draft} touched={touched} />
      ))}
      <Parameters mapping={id} pageId={pageId} revision={revision} isPaging={isPaging} touched={touched} />
    </>
  );
}

type Side = 'success' | 'failure';

/** What is told, and what is done, when it went well or not. */
function Outcome({ side, draft }: { readonly side: Side; readonly draft: Draft }): ReactNode {
  const { t } = useAreaTexts(pages);
  const notifications = draft.values?.[`${side}Notifications`];
  const behaviour = draft.values?.[`${side}Behaviour`];
  const fields: readonly FormField[] = [
    {
      key: `${side}Behaviour`,
      label: t('pages.behaviour'),
      kind: 'choice',
      options: [['', '—'] as const, ...BEHAVIOURS.map((name) => [name, t(`pages.behaviour.${name}`)] as const)],
    },
    ...(behaviour === 'partial-refresh'
      ? [{ key: `${side}Partial`, label: t('pages.selectors'), help: t('pages.selectorsHelp') }]
      : behaviour === 'navigate-to-url'
        ? [{ key: `${side}URL`, label: t('pages.url'), help: t('pages.urlHelp') }]
        : behaviour === 'fire-event'
          ? [{ key: `${side}Event`, label: t('pages.eventName') }]
          : []),
    {
      key: `${side}Notifications`,
      label: t('pages.notifications'),
      kind: 'choice',
      options: [['', '—'] as const, ...NOTIFICATIONS.map((name) => [name, t(`pages.notify.${name}`)] as const)],
    },
    ...(notifications === 'custom-dialog'
      ? [{ key: `${side}NotificationsPartial`, label: t('pages.selectors') }]
      : notifications === 'fire-event'
        ? [{ key: `${side}NotificationsEvent`, label: t('pages.eventName') }]
        : notifications === 'inline-text-message'
          ? [{ key: `${side}NotificationsDelay`, label: t('pages.notificationDelay'), kind: 'number' as const }]
          : []),
  ];
  return (
    <fieldset className="outcome">
      <legend className="legend">{t(`pages.side.${side}`)}</legend>
      {fields.map((field) => (
        <DraftField key={field.key} field={field} draft={draft} />
      ))}
    </fieldset>
  );
}

/** Nodes that are shown anew, and dialogs, where these are linked. */
function Linked(props: {
  readonly side: Side;
  readonly id: string;
  readonly pageId: string;
  readonly revision: number;
  readonly draft: Draft;
  readonly touched: () => void;
}): ReactNode {
  const { side, id, pageId, revision, draft, touched } = props;
  const { t } = useAreaTexts(pages);
  const of = { path: `ActionMapping/${id}`, pageId, revision, touched };
  return (
    <>
      {draft.values?.[`${side}Behaviour`] === 'partial-refresh-linked' ? (
        <LinkedNodes
          {...of}
          property={`${side}Targets`}
          label={`${t(`pages.side.${side}`)}: ${t('pages.refreshed')}`}
        />
      ) : null}
      {draft.values?.[`${side}Notifications`] === 'custom-dialog-linked' ? (
        <LinkedNodes
          {...of}
          property={`${side}NotificationElements`}
          label={`${t(`pages.side.${side}`)}: ${t('pages.dialogs')}`}
        />
      ) : null}
    </>
  );
}
