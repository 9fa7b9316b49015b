/** What of an action mapping stands in the tag of the element that sets it off (docs/interface/pages.md 7.2). */
import type { GraphNode } from '../../graph/index.js';
import type { ActionMapping, ActionParameter } from '../model/action-mapping.js';
import { isMarked, textIn } from '../model/stored-values.js';
import { PAGE_ACTIONS, type PageAction } from './table.js';

export type AttributeValue =
  /** As it is. */
  | { readonly kind: 'text'; readonly text: string }
  /** With its scripts evaluated; left out when nothing comes of it. `guard`: what comes of them cannot be an instruction to a visitor's browser, or another target. */
  | { readonly kind: 'filled'; readonly text: string; readonly guard?: 'value' | 'target' | undefined }
  /** Selectors of these elements; of an item where they are repeated. */
  | { readonly kind: 'linked'; readonly nodes: readonly GraphNode[] }
  /** The number of another page of a list. */
  | { readonly kind: 'page'; readonly parameter: string; readonly action: PageAction }
  /** What the request says of a parameter, or else. */
  | { readonly kind: 'request'; readonly parameter: string; readonly otherwise: string };

export interface ActionAttribute {
  readonly name: string;
  readonly value: AttributeValue;
}

const OUTCOMES = ['success', 'failure'] as const;

/** `projectName` is `project-name` in the name of an attribute; browsers make it again what it was. */
export function hyphenated(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** All attributes of a mapping, in their order. */
export function attributesOf(mapping: ActionMapping): readonly ActionAttribute[] {
  const { node } = mapping;
  const all = new Map<string, AttributeValue>();
  const add = (name: string, value: AttributeValue | undefined): void => {
    // An element has an attribute once: the first of a name.
    if (value !== undefined && !all.has(name)) all.set(name, value);
  };
  const field = (key: string): string => textIn(node, key);
  add('data-svc-event', filled(field('event')));
  add('data-svc-events', filled(field('event')));
  add('data-svc-action', filled(field('action')));
  add('data-svc-method', filled(field('method')));
  add('data-svc-flow', filled(field('flow')));
  add('data-svc-data-type', filled(field('dataType')));
  add('data-svc-id-expression', filled(field('idExpression'), 'value'));
  add('data-svc-target', targetOf(mapping));
  add('data-svc-options', text(field('options')));
  if (isSet(field('dialogType'))) {
    add('data-svc-dialog-type', filled(field('dialogType')));
    add('data-svc-dialog-title', filled(field('dialogTitle')));
    add('data-svc-dialog-text', filled(field('dialogText')));
  }
  for (const outcome of OUTCOMES) {
    notifications(mapping, outcome, add);
    add(`data-svc-${outcome}-target`, behaviourOf(mapping, outcome));
  }
  for (const parameter of mapping.parameters) addParameter(mapping, parameter, add);
  return [...all].map(([name, value]) => ({ name, value }));
}

/** Events of the form that came before mappings: `{"click": ...}`. */
export function legacyEvents(eventMapping: string): string | undefined {
  if (eventMapping.trim() === '') return undefined;
  try {
    const parsed: unknown = JSON.parse(eventMapping);
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return undefined;
    return Object.keys(parsed).join(',') || undefined;
  } catch {
    return undefined;
  }
}

function pageActionOf({ node }: ActionMapping): PageAction | undefined {
  const action = textIn(node, 'action');
  return PAGE_ACTIONS.find((one) => one === action);
}

function targetOf(mapping: ActionMapping): AttributeValue | undefined {
  const { node } = mapping;
  if (pageActionOf(mapping) !== undefined) {
    const paging = mapping.parameters.find(({ node: one }) => textIn(one, 'parameterType') === 'page-param');
    return paging === undefined ? undefined : text(textIn(paging.node, 'parameterName'));
  }
  if (textIn(node, 'action') === 'create') return filled(textIn(node, 'dataType'), 'value');
  return text(textIn(node, 'idExpression'));
}

type Add = (name: string, value: AttributeValue | undefined) => void;

function notifications({ node, targets }: ActionMapping, outcome: (typeof OUTCOMES)[number], add: Add): void {
  const kind = textIn(node, `${outcome}Notifications`);
  if (!isSet(kind)) return;
  const name = `data-svc-${outcome}-notifications`;
  add(name, text(kind));
  add(`${name}-partial`, filled(textIn(node, `${outcome}NotificationsPartial`)));
  if (kind === 'fire-event') add(`${name}-event`, filled(textIn(node, `${outcome}NotificationsEvent`)));
  if (kind === 'inline-text-message') {
    const delay = node.properties[`${outcome}NotificationsDelay`];
    if (typeof delay === 'number') add(`${name}-delay`, text(String(delay)));
  }
  if (kind === 'custom-dialog-linked') {
    add(`${name}-custom-dialog-element`, linked(targets[`${outcome}Notification`]));
  }
}

/** What becomes of the page. */
function behaviourOf({ node, targets }: ActionMapping, outcome: (typeof OUTCOMES)[number]): AttributeValue | undefined {
  switch (textIn(node, `${outcome}Behaviour`)) {
    case 'partial-refresh':
      return filled(textIn(node, `${outcome}Partial`), 'target');
    case 'partial-refresh-linked':
      return linked(targets[outcome]);
    case 'navigate-to-url':
      return filled(`url:${textIn(node, `${outcome}URL`)}`, 'target');
    case 'full-page-reload':
      return text('url:');
    case 'fire-event':
      return filled(`event:${textIn(node, `${outcome}Event`)}`, 'target');
    case 'sign-out':
      return text('sign-out');
    default:
      return undefined;
  }
}

function addParameter(mapping: ActionMapping, { node, input }: ActionParameter, add: Add): void {
  const parameter = textIn(node, 'parameterName').trim();
  const name = `data-${hyphenated(parameter)}`;
  // Instructions for the browser's script are no parameters.
  if (parameter === '' || name.startsWith('data-svc-')) return;
  switch (textIn(node, 'parameterType')) {
    case 'user-input':
      if (input !== undefined) add(name, text(selectorOf(input)));
      break;
    case 'constant-value':
      add(name, { kind: 'text', text: textIn(node, 'constantValue') });
      break;
    case 'script-expression': {
      const source = textIn(node, 'scriptExpression').trim();
      add(name, filled(source === '' || source.includes('${') ? source : `\${${source}}`, 'value'));
      break;
    }
    case 'page-param': {
      const action = pageActionOf(mapping);
      if (action !== undefined) add(name, { kind: 'page', parameter, action });
      break;
    }
    case 'pagesize-param':
      add(name, { kind: 'request', parameter, otherwise: textIn(node, 'constantValue') });
      break;
    default:
      break;
  }
}

/** An id that can stand behind `#` as it is. */
const PLAIN_ID = /^[A-Za-z_][\w-]*$/;

/** An id that somebody else than an administrator has given may be that of another input. */
function selectorOf(node: GraphNode): string {
  const htmlId = isMarked(node) ? '' : textIn(node, '_html_id');
  return PLAIN_ID.test(htmlId) ? `css(#${htmlId})` : `id(${node.id})`;
}

function isSet(value: string): boolean {
  return value.trim() !== '' && value !== 'none';
}

function text(value: string): AttributeValue | undefined {
  return value.trim() === '' ? undefined : { kind: 'text', text: value };
}

function filled(value: string, guard?: 'value' | 'target'): AttributeValue | undefined {
  if (!value.includes('${')) return text(value);
  return { kind: 'filled', text: value, guard };
}

function linked(nodes: readonly GraphNode[]): AttributeValue | undefined {
  return nodes.length === 0 ? undefined : { kind: 'linked', nodes };
}
