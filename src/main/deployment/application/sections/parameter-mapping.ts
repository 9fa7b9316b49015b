/** Parameters of actions, `events/parameter-mapping.json`. */
import { DeploymentError } from '../../common/errors.js';
import { listSection, textOf, createMarked } from '../list-section.js';
import { markedIn, markedLinks, markLinks } from '../marked-links.js';
import { mappingsInUse } from './mappings.js';

const KINDS = [['INPUT_ELEMENT', 'in']] as const;

export const parameterMapping = listSection({
  title: 'Parameter Mapping',
  file: 'events/parameter-mapping.json',
  type: 'ParameterMapping',
  keys: ['id', 'name', 'parameterType', 'parameterName', 'constantValue', 'scriptExpression'].concat(
    'visibleToAuthenticatedUsers',
    'visibleToPublicUsers',
  ),
  sortedBy: ({ name }) => [textOf(name)],
  style: 'pretty',
  more: async ({ tx, schema }, nodes) => {
    const ids = nodes.map(({ id }) => id);
    const [inputs, mappings, used, marks] = await Promise.all([
      tx.related(ids, { relType: 'INPUT_ELEMENT', direction: 'in' }, 1),
      tx.related(ids, { relType: 'PARAMETER', direction: 'in' }, 1),
      mappingsInUse(tx, schema),
      markedLinks(tx, nodes, KINDS),
    ]);
    return nodes.map((_, i) => {
      const mapping = mappings[i]?.[0];
      if (mapping === undefined || !used.has(mapping.id)) return undefined;
      const input = inputs[i]?.[0];
      return { ...(input === undefined ? {} : { inputElement: input.id }), ...marks[i] };
    });
  },
  input: (values, place) => {
    markedIn(values, place);
    const { inputElement } = values;
    if (inputElement === undefined || inputElement === null || typeof inputElement === 'string') return values;
    throw new DeploymentError(`${place}.inputElement: an id is expected here.`);
  },
  make: ({ objects }, type, { values: { inputElement: _later, ...values }, place }) =>
    createMarked(objects, type, markedIn(values, place).rest, place),
  connect: async ({ objects, report }, mapping, { values, place }) => {
    const { inputElement } = values;
    if (typeof inputElement !== 'string') return;
    if ((await objects.tx.node(inputElement)) === undefined)
      report.warn('Missing element', `${place}: there is no element ${inputElement}.`);
    else {
      await objects.update(mapping, { inputElement });
      await markLinks(objects, mapping, KINDS, values, place);
    }
  },
});
