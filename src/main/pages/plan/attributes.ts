/** The attributes of an element (docs/interface/pages.md 3.2). */
import type { Type } from '../../schema/index.js';
import { attributeValue, chain, ScriptEntity } from '../../scripting/index.js';
import { guarded } from '../actions/instructions.js';
import { isSandboxed, textOf, type PageNode } from '../model/page-node.js';
import { escapeAttribute, isAttribute } from '../model/tags.js';
import { namesIn } from './names.js';
import type { Op } from './plan.js';
import { harmlessValue, isHarmlessAttribute } from './sandbox.js';

const HTML = '_html_';
const CUSTOM = '_custom_html_';
const DATA = 'data-';
/** It has no effect, and is no attribute. */
const NEVER = 'data-svc-manual-reload-target';

/** Attributes with a blank before each, in their order. `dataKey`: of an element that is repeated. `written`: names of those that are written elsewhere. */
export function attributeOps(node: PageNode, type: Type, dataKey: string, written: ReadonlySet<string>): Op[] {
  const { properties } = node.node;
  const ops: Op[] = [];
  const others: string[] = [];
  for (const key of Object.keys(properties)) {
    // What the type does not have is kept, and not shown.
    if (key.startsWith(HTML)) {
      if (type.properties.has(key)) push(ops, node, key.slice(HTML.length), String(properties[key]));
    } else if ((key.startsWith(DATA) || key.startsWith(CUSTOM)) && key !== NEVER && !written.has(key)) others.push(key);
  }
  if (dataKey !== '') ops.push(objectId(dataKey));
  for (const key of others.sort()) {
    const value = properties[key];
    if (value === false || value === undefined || value === null) continue;
    push(ops, node, key.startsWith(CUSTOM) ? key.slice(CUSTOM.length) : key, String(value).trim());
  }
  return ops;
}

function push(ops: Op[], node: PageNode, name: string, value: string): void {
  if (!isAttribute(name)) return;
  const before = ` ${name}="`;
  if (isSandboxed(node)) {
    if (!isHarmlessAttribute(name, value)) return;
    const text = name.startsWith(DATA) ? guarded(value) : harmlessValue(name, value);
    ops.push(`${before}${escapeAttribute(text)}"`);
    return;
  }
  if (!value.includes('${')) {
    ops.push(`${before}${escapeAttribute(value)}"`);
    return;
  }
  const names = namesIn(value);
  const place = { escape: (text: string) => text, writes: false, isCode: !isHarmlessAttribute(name, '') };
  const isSent = name.startsWith(DATA) && sendsItsValues(node);
  ops.push(({ visit, constants }) =>
    chain(
      visit.within(place, () => attributeValue(value, visit.contextOf(node, constants, names))),
      (text) => {
        if (text !== null) visit.write(`${before}${escapeAttribute(isSent ? guarded(text, value) : text)}"`);
      },
    ),
  );
}

/** Whether the browser's script takes what stands in `data-*` for values of an action, or of what is dragged. */
function sendsItsValues(node: PageNode): boolean {
  const drags = ['_html_draggable', '_custom_html_draggable'].some((key) => textOf(node, key) !== '');
  return drags || node.actions?.mapping !== undefined || textOf(node, 'eventMapping') !== '';
}

function objectId(dataKey: string): Op {
  return ({ visit, constants }) => {
    const item = constants.get(dataKey);
    if (item instanceof ScriptEntity) visit.write(` data-repeater-data-object-id="${item.id}"`);
  };
}
