/** The main form of a page, an element and a text. */
import type { ReactNode } from 'react';
import { useAreaTexts } from '../../texts/catalogue.js';
import { pages } from '../../texts/pages.js';
import { languageOf } from '../../parts/code-languages.js';
import { ALL_TAGS, CONTENT_TYPES } from '../page/tags.js';
import { useDraft } from './draft.js';
import { DraftForm, type FormField } from './draft-form.js';
import { LinkTarget } from './link-target.js';
import type { OfNode } from './of-node.js';

/** Elements that lead to a page or a file (1.2). */
const LEADS = /^(A|Img|Link|Script)$/;

const keysOf = (fields: readonly FormField[]): readonly string[] => fields.map(({ key }) => key);

export function PageForm({ node, revision, touched }: OfNode): ReactNode {
  const { t } = useAreaTexts(pages);
  const fields: readonly FormField[] = [
    { key: 'name', label: t('pages.name'), help: t('pages.nameHelp') },
    { key: 'contentType', label: t('pages.contentType'), kind: 'suggested', options: CONTENT_TYPES },
    { key: 'position', label: t('pages.position'), kind: 'number', help: t('pages.positionHelp') },
    { key: 'showOnErrorCodes', label: t('pages.errorCodes'), help: t('pages.errorCodesHelp') },
    { key: 'category', label: t('pages.category') },
    { key: 'cacheForSeconds', label: t('pages.cacheFor'), kind: 'number' },
    { key: 'dontCache', label: t('pages.dontCache'), kind: 'flag', help: t('pages.dontCacheHelp') },
    { key: 'pageCreatesRawData', label: t('pages.rawData'), kind: 'flag', help: t('pages.rawDataHelp') },
    { key: 'enableBasicAuth', label: t('pages.basicAuth'), kind: 'flag', help: t('pages.basicAuthHelp') },
    { key: 'basicAuthRealm', label: t('pages.basicAuthRealm') },
  ];
  const draft = useDraft({
    path: `Page/${node.id}`,
    form: 'general',
    keys: keysOf(fields),
    revision,
    onSaved: touched,
  });
  return <DraftForm draft={draft} fields={fields} />;
}

export function ElementForm({ node, revision, touched }: OfNode): ReactNode {
  const { t } = useAreaTexts(pages);
  const fields: readonly FormField[] = [
    { key: 'tag', label: t('pages.tag'), kind: 'suggested', options: ALL_TAGS },
    { key: 'name', label: t('pages.name') },
    { key: '_html_id', label: 'id' },
    { key: '_html_class', label: 'class' },
    { key: '_html_style', label: 'style' },
    ...(node.type === 'Html'
      ? [{ key: 'customOpeningTag', label: t('pages.openingTag'), help: t('pages.openingTagHelp') }]
      : []),
    {
      key: 'data-svc-rendering-mode',
      label: t('pages.renderingMode'),
      kind: 'choice',
      options: [
        ['', t('pages.mode.none')],
        ['load', t('pages.mode.load')],
        ['delayed', t('pages.mode.delayed')],
        ['visible', t('pages.mode.visible')],
        ['periodic', t('pages.mode.periodic')],
      ],
    },
    { key: 'data-svc-delay-or-interval', label: t('pages.delay') },
  ];
  const draft = useDraft({
    path: `${node.type}/${node.id}`,
    form: 'general',
    keys: keysOf(fields),
    revision,
    onSaved: touched,
  });
  return (
    <>
      {LEADS.test(node.type) ? <LinkTarget node={node} revision={revision} touched={touched} /> : null}
      <DraftForm draft={draft} fields={fields} />
    </>
  );
}

export function TextForm({ node, revision, touched }: OfNode): ReactNode {
  const { t } = useAreaTexts(pages);
  const keys = ['content', 'contentType', 'name'];
  const draft = useDraft({ path: `${node.type}/${node.id}`, form: 'general', keys, revision, onSaved: touched });
  const contentType = draft.values?.['contentType'];
  const fields: readonly FormField[] = [
    {
      key: 'content',
      label: t('pages.content'),
      kind: 'code',
      isLong: true,
      language: languageOf(typeof contentType === 'string' ? contentType : 'text/plain'),
      help: t('pages.contentHelp'),
    },
    { key: 'contentType', label: t('pages.contentType'), kind: 'suggested', options: CONTENT_TYPES },
    { key: 'name', label: t('pages.name') },
  ];
  return <DraftForm draft={draft} fields={fields} />;
}
