/** Pages, their nodes, routes, sites and event action mapping (docs/interface/builtin-types.md 4). */
import type { RelationDefinition, TraitDefinition } from '../model/definitions.js';
import {
  computed,
  falseByDefault,
  ids,
  key,
  keys,
  marker,
  namesOf,
  publicAndUi,
  relation,
  SOURCE_TO_TARGET,
  str,
  trait,
  words,
} from './rows.js';
import { commonAttributes, htmlView } from './html-attributes.js';

const ACTIONS = words('reloadingActions failureActions successNotificationActions failureNotificationActions');
const LOCALES_AND_CONDITIONS = words('showForLocales hideForLocales showConditions hideConditions');
const REPEATER = words('dataKey cypherQuery functionQuery');

const ELEMENT_UI = [
  ...words('tag path partialUpdateKey _html_class _html_id sharedComponentConfiguration isDOMNode pageId parent'),
  ...words('sharedComponentId syncedNodesIds data-svc-id children childrenIds'),
  ...LOCALES_AND_CONDITIONS,
  ...REPEATER,
  ...words('data-svc-rendering-mode data-svc-delay-or-interval data-svc-insert data-svc-from-widget'),
  ...words('data-svc-tree-children data-svc-reload-target eventMapping triggeredActions'),
  'data-svc-manual-reload-target',
];

const CONTENT_VIEW = [
  ...words('isContent contentType content isDOMNode pageId parent sharedComponentId syncedNodesIds'),
  'sharedComponentConfiguration',
  ...LOCALES_AND_CONDITIONS,
  ...REPEATER,
];

const PAGE_VIEW = words(`
  isPage pageCreatesRawData sites version position cacheForSeconds showOnErrorCodes contentType category paths dontCache
  children`);

const widget = [
  ...keys('String', 'source description configuration svgIconPath thumbnailPath treePath'),
  marker('isWidget'),
  key('StringArray', 'selectors'),
  key('Boolean', 'isPageTemplate'),
];

const actionOutcome = (outcome: 'success' | 'failure') => [
  ...keys('String', `${outcome}Notifications ${outcome}NotificationsPartial ${outcome}NotificationsEvent`),
  key('Integer', `${outcome}NotificationsDelay`, '', { defaultValue: '5000' }),
  ...keys('String', `${outcome}Behaviour ${outcome}Partial ${outcome}URL ${outcome}Event`),
];

const actionMapping = [
  ...keys('String', 'event action method flow dataType idExpression options dialogType dialogTitle dialogText'),
  ...actionOutcome('success'),
  ...actionOutcome('failure'),
];

const parameterMapping = [
  str('parameterType'),
  str('parameterName', '!!'),
  ...keys('String', 'constantValue scriptExpression methodResult flowResult'),
];

export const pageTraits: readonly TraitDefinition[] = [
  trait(
    'DOMNode',
    [],
    [
      computed('sortedChildren', 'sortedChildren'),
      ids('childrenIds', 'children'),
      ids('pageId', 'ownerDocument'),
      ids('parentId', 'parent'),
      ids('sharedComponentId', 'sharedComponent'),
      ids('syncedNodesIds', 'syncedNodes'),
      ...keys('String', 'dataKey* cypherQuery functionQuery'),
      ...keys('String', 'showForLocales* hideForLocales* showConditions* hideConditions*'),
      ...keys('String', 'sharedComponentConfiguration data-svc-id data-svc-hash'),
      ...falseByDefault('dontCache'),
      marker('isDOMNode'),
      key('Boolean', 'hasSharedComponent', '*'),
      key('Integer', 'domSortPosition'),
    ],
    { ui: ACTIONS },
    { traitOnly: true, acceptsUnknownKeys: true },
  ),
  trait(
    'DOMElement',
    ['DOMNode'],
    [
      ...keys('String', 'tag* path* partialUpdateKey* eventMapping'),
      ...keys('Boolean', 'fromWidget data-svc-manual-reload-target data-svc-insert data-svc-from-widget'),
      ...keys('String', 'data-svc-tree-children data-svc-reload-target'),
      ...keys('String', 'data-svc-rendering-mode data-svc-delay-or-interval'),
      ...commonAttributes,
    ],
    {
      public: [
        ...words('tag path partialUpdateKey isDOMNode pageId parent sharedComponentId syncedNodesIds name children'),
        ...REPEATER,
      ],
      ui: ELEMENT_UI,
      ...htmlView(commonAttributes),
    },
    { showsKeys: /^(?:data-|_custom_html_)/ },
  ),
  trait(
    'Page',
    ['DOMNode', 'Linkable'],
    [
      marker('isPage'),
      ...falseByDefault('pageCreatesRawData'),
      key('Integer', 'version', '*r', { defaultValue: '0' }),
      ...keys('Integer', 'position* cacheForSeconds'),
      computed('path', 'pagePath', { indexed: true }),
      ...keys('String', 'showOnErrorCodes* contentType* category*'),
    ],
    {
      public: [...PAGE_VIEW, ...words('linkingElements enableBasicAuth basicAuthRealm owner')],
      ui: PAGE_VIEW,
      category: ['category'],
    },
  ),
  trait('ShadowDocument', ['Page'], []),
  trait(
    'Content',
    ['DOMNode'],
    [str('content'), str('contentType', '*', { defaultValue: 'text/plain' }), marker('isContent')],
    publicAndUi(CONTENT_VIEW),
  ),
  trait('Comment', ['Content'], [str('contentType', '*', { defaultValue: 'text/html' })]),
  trait('Template', ['Content'], [], {
    public: words('content contentType children childrenIds'),
    ui: words('children childrenIds'),
  }),
  trait('Component', ['DOMElement'], [str('kind'), key('Integer', 'position')], publicAndUi(['kind'])),
  trait('PagePath', [], [str('name', '*!'), key('Integer', 'priority')], publicAndUi(words('priority parameters'))),
  trait(
    'PagePathParameter',
    [],
    [key('Integer', 'position', '*'), ...keys('String', 'valueType defaultValue'), key('Boolean', 'isOptional')],
    publicAndUi(words('position valueType defaultValue isOptional')),
  ),
  // The specification requires a host name; an empty one is allowed and matches no request.
  trait('Site', [], [str('hostname', '*!'), key('Integer', 'port', '*')], publicAndUi(words('pages hostname port'))),
  trait('Widget', [], widget, { ...publicAndUi(namesOf(widget)), editWidget: words('selectors isPageTemplate') }),
  trait('ActionMapping', [], actionMapping, {
    ui: [
      ...words('triggerElements successTargets failureTargets successNotificationElements failureNotificationElements'),
      'parameterMappings',
      ...namesOf(actionMapping).filter((name) => name !== 'dataType'),
    ],
  }),
  trait('ParameterMapping', [], parameterMapping, { ui: ['inputElement', ...namesOf(parameterMapping)] }),
  trait('ApplicationConfigurationDataNode', [], keys('String', 'configType* content'), {
    ui: words('configType content'),
  }),
  // Ours: a file of an application export whose types this version does not have (docs/interface/deployment.md 2.8). In no view: nobody need see it.
  trait('DeployedPart', [], [...keys('String', 'path* content'), key('Boolean', 'isBinary')]),
  trait('CssRule', [], [str('cssText', '*'), key('Integer', 'ruleType', '*')]),
  trait('CssDeclaration', [], []),
  trait('CssSelector', [], []),
  trait('CssSemanticClass', [], []),
];

/** A node that an action mapping reloads or notifies. */
const actionTarget = (relType: string, targetKey: string, sourceKey: string): RelationDefinition =>
  relation(`DOMNode${relType}ActionMapping`, 'DOMNode', relType, 'ActionMapping', '*:*', { targetKey, sourceKey });

export const pageRelations: readonly RelationDefinition[] = [
  relation('DOMNodeCONTAINSDOMNode', 'DOMNode', 'CONTAINS', 'DOMNode', '1:*', {
    targetKey: 'children',
    sourceKey: 'parent',
    properties: [key('Integer', 'position')],
    orderedBy: 'position',
    // A tree is written as one.
    autocreation: SOURCE_TO_TARGET,
  }),
  relation('DOMNodeCONTAINS_NEXT_SIBLINGDOMNode', 'DOMNode', 'CONTAINS_NEXT_SIBLING', 'DOMNode', '1:1'),
  relation('DOMNodePAGEPage', 'DOMNode', 'PAGE', 'Page', '*:1', { targetKey: 'ownerDocument', sourceKey: 'elements' }),
  relation('DOMNodeSYNCDOMNode', 'DOMNode', 'SYNC', 'DOMNode', '1:*', {
    targetKey: 'syncedNodes',
    sourceKey: 'sharedComponent',
  }),
  relation('DOMElementRELOADSDOMElement', 'DOMElement', 'RELOADS', 'DOMElement', '*:*', {
    targetKey: 'reloadTargets',
    sourceKey: 'reloadSources',
  }),
  relation('DOMElementTRIGGERED_BYActionMapping', 'DOMElement', 'TRIGGERED_BY', 'ActionMapping', '*:*', {
    targetKey: 'triggeredActions',
    sourceKey: 'triggerElements',
    cascadingDelete: SOURCE_TO_TARGET,
  }),
  relation('DOMElementINPUT_ELEMENTParameterMapping', 'DOMElement', 'INPUT_ELEMENT', 'ParameterMapping', '1:*', {
    targetKey: 'parameterMappings',
    sourceKey: 'inputElement',
  }),
  relation('ActionMappingPARAMETERParameterMapping', 'ActionMapping', 'PARAMETER', 'ParameterMapping', '1:*', {
    targetKey: 'parameterMappings',
    sourceKey: 'actionMapping',
    cascadingDelete: SOURCE_TO_TARGET,
  }),
  actionTarget('SUCCESS_TARGET', 'reloadingActions', 'successTargets'),
  actionTarget('FAILURE_TARGET', 'failureActions', 'failureTargets'),
  actionTarget('SUCCESS_NOTIFICATION_ELEMENT', 'successNotificationActions', 'successNotificationElements'),
  actionTarget('FAILURE_NOTIFICATION_ELEMENT', 'failureNotificationActions', 'failureNotificationElements'),
  relation('PageHAS_PATHPagePath', 'Page', 'HAS_PATH', 'PagePath', '1:*', {
    targetKey: 'paths',
    sourceKey: 'page',
    cascadingDelete: SOURCE_TO_TARGET,
  }),
  relation('PagePathHAS_PARAMETERPagePathParameter', 'PagePath', 'HAS_PARAMETER', 'PagePathParameter', '1:*', {
    targetKey: 'parameters',
    sourceKey: 'path',
    cascadingDelete: SOURCE_TO_TARGET,
  }),
  relation('SiteCONTAINSPage', 'Site', 'CONTAINS', 'Page', '*:*', { targetKey: 'pages', sourceKey: 'sites' }),
  relation('CssRuleCONTAINSCssRule', 'CssRule', 'CONTAINS', 'CssRule', '1:*', {
    targetKey: 'childRules',
    sourceKey: 'parentRule',
  }),
  relation('CssRuleHAS_DECLARATIONCssDeclaration', 'CssRule', 'HAS_DECLARATION', 'CssDeclaration', '1:*', {
    sourceKey: 'rule',
  }),
  relation('CssRuleHAS_SELECTORCssSelector', 'CssRule', 'HAS_SELECTOR', 'CssSelector', '*:*', {
    targetKey: 'selectors',
  }),
  relation('CssSemanticClassMAPS_TOCssSelector', 'CssSemanticClass', 'MAPS_TO', 'CssSelector', '*:*', {
    targetKey: 'selectors',
  }),
];
