/** Trees that are in themselves: rules refuse them, but what is in a database may be older, or written past them. */
import { expect, test } from 'vitest';
import { shownChildren, type PageNode } from '../../../src/main/pages/model/page-node.js';
import { writeSource } from '../../../src/main/pages/modes/source-text.js';

const FORM = {
  indentation: true,
  as: () => ({ tag: 'div', opening: '<div>', isVoid: false }),
  comment: () => '',
  childrenOf: shownChildren,
  text: () => '',
};

test('the source of a component that is in itself ends', async () => {
  const node = { kind: 'node' as const, id: 'x', type: 'Div', traits: [], properties: { tag: 'div' } };
  const children: PageNode[] = [];
  const component: PageNode = {
    kind: 'element',
    node,
    parent: undefined,
    children,
    component: undefined,
    isPlacedByOthers: false,
    isReferenceOfOthers: false,
    link: undefined,
    isLinkOfOthers: false,
    actions: undefined,
  };
  children.push({ ...component, children: [], component });
  await expect(writeSource(component, FORM)).rejects.toThrow('Div x is in itself.');
});
