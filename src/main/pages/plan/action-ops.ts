/** What elements say of event actions, and of parts that are loaded later, in their tags (docs/interface/pages.md 7.2). */
import type { GraphNode } from '../../graph/index.js';
import { attributeValue, chain, ScriptEntity, ScriptError, type Awaitable } from '../../scripting/index.js';
import { attributesOf, hyphenated, legacyEvents, type AttributeValue } from '../actions/attributes.js';
import { guarded, isTargetOf } from '../actions/instructions.js';
import { pageNumber } from '../actions/table.js';
import { isSandboxed, textOf, type PageNode } from '../model/page-node.js';
import { escapeAttribute, isAttribute } from '../model/tags.js';
import { namesIn } from './names.js';
import type { Op, Scope } from './plan.js';

/** Parameters of requests for parts that are no parameters of the page. */
export const RENDER_STATE = 'svc-encoded-render-state';
const MODE = 'data-svc-rendering-mode';
const INTERVAL = 'data-svc-delay-or-interval';
/** Numbers of pages that a request may say. */
const PAGE_NUMBER = /^\d{1,9}$/;

/** How an element is loaded later; empty: it is there at once. */
export function renderingMode(node: PageNode): string {
  return isSandboxed(node) ? '' : textOf(node, MODE).trim();
}

/** What is written in place of attributes that are stored under the same names. */
export interface ActionOps {
  readonly names: ReadonlySet<string>;
  readonly ops: readonly Op[];
}

/** Attributes with a blank before each. */
export function actionOps(node: PageNode): ActionOps {
  const { actions } = node;
  const mode = renderingMode(node);
  const sandboxed = isSandboxed(node);
  const mapping = sandboxed ? undefined : actions?.mapping;
  const events = mapping === undefined && !sandboxed ? legacyEvents(textOf(node, 'eventMapping')) : undefined;
  const isTarget = actions?.isTarget === true;
  const names = new Set<string>();
  const ops: Op[] = [];
  const add = (name: string, value: AttributeValue): void => {
    if (names.has(name) || !isAttribute(name)) return;
    names.add(name);
    ops.push(attributeOp(node, name, value));
  };
  const fixed = (name: string, text: string): void => {
    add(name, { kind: 'text', text });
  };
  const isNamed =
    mapping !== undefined ||
    events !== undefined ||
    isTarget ||
    actions?.isInput === true ||
    mode !== '' ||
    node.node.type === 'TemplateElement';
  if (isNamed) fixed('data-svc-id', node.node.id);
  if (events !== undefined) fixed('data-svc-events', events);
  if (mapping !== undefined) for (const { name, value } of attributesOf(mapping)) add(name, value);
  if (mode !== '') {
    add(MODE, { kind: 'filled', text: mode });
    const interval = textOf(node, INTERVAL).trim();
    if (interval !== '') add(INTERVAL, { kind: 'filled', text: interval });
  }
  if (isTarget) ops.push(stateOp());
  return { names, ops };
}

function attribute(name: string, text: string): string {
  return ` ${name}="${escapeAttribute(text)}"`;
}

function attributeOp(node: PageNode, name: string, value: AttributeValue): Op {
  switch (value.kind) {
    case 'text':
      return attribute(name, value.text);
    case 'filled': {
      const { text } = value;
      if (!text.includes('${')) return attribute(name, text);
      const names = namesIn(text);
      return ({ visit, constants }): Awaitable<void> =>
        chain(attributeValue(text, visit.contextOf(node, constants, names)), (filled) => {
          if (filled === null || filled.trim() === '') return;
          if (value.guard === 'target' && !isTargetOf(text, filled)) {
            visit.warn(new ScriptError(422, `${name} would be another target than its author has written.`), node);
            return;
          }
          visit.write(attribute(name, value.guard === 'value' ? guarded(filled, text) : filled));
        });
    }
    case 'linked': {
      const { nodes } = value;
      if (!nodes.some((one) => dataKeyOf(one) !== '')) {
        return attribute(name, nodes.map(({ id }) => selectorOf(id)).join(','));
      }
      return ({ visit, constants }) => {
        const selectors = nodes.map((one) => {
          const item = constants.get(dataKeyOf(one));
          return selectorOf(one.id, item instanceof ScriptEntity ? item.id : undefined);
        });
        visit.write(attribute(name, selectors.join(',')));
      };
    }
    case 'page':
      return ({ visit }) => {
        const now = visit.parameter(value.parameter) ?? '';
        visit.write(attribute(name, String(pageNumber(value.action, PAGE_NUMBER.test(now) ? Number(now) : 1))));
      };
    case 'request':
      return ({ visit }) => {
        const text = visit.parameter(value.parameter) ?? value.otherwise;
        if (text !== '') visit.write(attribute(name, guarded(text)));
      };
  }
}

function selectorOf(id: string, item?: string): string {
  return `[data-svc-id='${id}']${item === undefined ? '' : `[data-repeater-data-object-id='${item}']`}`;
}

function dataKeyOf({ properties }: GraphNode): string {
  const { dataKey } = properties;
  return typeof dataKey === 'string' ? dataKey.trim() : '';
}

/** What is needed to show the element anew as it is here. */
function stateOp(): Op {
  return ({ visit, constants }: Scope) => {
    const details = visit.details(constants);
    let text = details === undefined ? '' : attribute('data-current-object-id', details);
    for (const [name, value] of visit.parameters()) {
      const attributeName = `data-request-${hyphenated(name)}`;
      if (name !== RENDER_STATE && isAttribute(attributeName)) text += attribute(attributeName, value);
    }
    const state = visit.state(constants);
    text += attribute('data-svc-render-state', Buffer.from(JSON.stringify(state)).toString('base64'));
    visit.write(text);
  };
}
