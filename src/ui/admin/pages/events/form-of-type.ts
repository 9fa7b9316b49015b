/** A form of a page that creates an object: its fields by the properties of a type, and the action with their values (docs/interface/pages.md 7). */
import { create, remove } from '../../server/rest.js';
import { loadProperties, type PropertyInfo } from '../../server/schema.js';
import { addNode, type NewNode, type PageNode } from '../page/nodes.js';
import { addActionScript, hasActionScript } from './script.js';

/** What visitors put a value of a type of properties into: the `type` of an `input`. */
const INPUTS: Readonly<Record<string, string>> = {
  String: 'text',
  Integer: 'number',
  Long: 'number',
  Double: 'number',
  Boolean: 'checkbox',
  Date: 'datetime-local',
  Enum: '',
};
/** Secrets, and what is made by scripts. */
const NOT_TYPED = /\.(Password|EncryptedString|ByteArray|Function|ElementCounter|Cypher|EntityNotion|Thumbnail)\w*$/;

/** The properties that a visitor can give a value: the name first, then those of the schema in their order. */
export async function typedProperties(type: string): Promise<readonly PropertyInfo[]> {
  const all = await loadProperties(type);
  const usable = all.filter(
    ({ jsonName, type: kind, className, dynamic, readOnly, isCollection, relatedType }) =>
      (dynamic || jsonName === 'name') &&
      !readOnly &&
      !isCollection &&
      typeof relatedType !== 'string' &&
      INPUTS[kind] !== undefined &&
      !NOT_TYPED.test(className),
  );
  return usable.sort((a, b) => Number(b.jsonName === 'name') - Number(a.jsonName === 'name'));
}

function inputOf({ type, format, notNull }: PropertyInfo): NewNode {
  const needed = notNull && type !== 'Boolean' ? { _html_required: 'required' } : {};
  if (type === 'Enum') return { type: 'Select', tag: 'select', ...needed };
  if (type === 'String' && format === 'multi-line') return { type: 'Textarea', tag: 'textarea', ...needed };
  const kind = type === 'Date' && format === 'yyyy-MM-dd' ? 'date' : (INPUTS[type] ?? 'text');
  return {
    type: 'Input',
    tag: 'input',
    _html_type: kind,
    ...(type === 'Double' ? { _html_step: 'any' } : {}),
    ...needed,
  };
}

/** A property that the form has, and what its input is called there. */
interface FormField {
  readonly property: PropertyInfo;
  readonly label: string;
}

/**
 * Puts a form into a node that creates an object of a type: a label with an input for each property, a button, and the action. Who sees
 * the node sees the form; who may use it, permissions say. Gives the id of the form. Throws `RefusedError`; nothing of the form stays then.
 */
export async function addForm(
  into: PageNode,
  type: string,
  fields: readonly FormField[],
  send: string,
): Promise<string> {
  const made: string[] = [];
  try {
    return await build(into, type, fields, send, made);
  } catch (error) {
    await discard(made);
    throw error;
  }
}

/** Deletes nodes that were made, the form first; its actions go with it, what is in it does not (pages.md 1.7). */
async function discard(made: readonly string[]): Promise<void> {
  try {
    for (const id of made) await remove(`DOMNode/${id}`);
  } catch {
    // What stood against the form is told, and most often stands against this too.
  }
}

/** Does it; the ids of the nodes are put into `made` as soon as there are some. */
async function build(
  into: PageNode,
  type: string,
  fields: readonly FormField[],
  send: string,
  made: string[],
): Promise<string> {
  const { visibleToPublicUsers = false, visibleToAuthenticatedUsers = false } = into;
  const seen = { visibleToPublicUsers, visibleToAuthenticatedUsers };
  const add = async (parent: string, node: NewNode): Promise<string> => {
    const id = await addNode({ id: parent, type: '', ...seen }, node);
    made.push(id);
    return id;
  };
  const form = await add(into.id, { type: 'Form', tag: 'form' });
  const inputs = new Map<string, string>();
  for (const { property, label } of fields) {
    const line = await add(form, { type: 'P', tag: 'p' });
    const labelled = await add(line, { type: 'Label', tag: 'label' });
    await add(labelled, { type: 'Content', content: `${label} ` });
    const input = await add(labelled, inputOf(property));
    inputs.set(property.jsonName, input);
    if (property.type !== 'Enum') continue;
    // Who need not choose begins with no choice.
    const members = (property.format ?? '').split(/[,\s]+/).filter(Boolean);
    for (const member of property.notNull ? members : ['', ...members]) {
      const option = await add(input, { type: 'Option', tag: 'option', _html_value: member });
      if (member !== '') await add(option, { type: 'Content', content: member });
    }
  }
  const button = await add(form, { type: 'Button', tag: 'button' });
  await add(button, { type: 'Content', content: send });
  const action = await create('ActionMapping', {
    ...seen,
    event: 'submit',
    action: 'create',
    dataType: type,
    triggerElements: [form],
    successNotifications: 'inline-text-message',
    failureNotifications: 'inline-text-message',
  });
  for (const [name, input] of inputs)
    await create('ParameterMapping', {
      ...seen,
      actionMapping: action,
      parameterName: name,
      parameterType: 'user-input',
      inputElement: input,
    });
  const page = into.pageId;
  if (typeof page === 'string' && !(await hasActionScript(page))) await addActionScript(page);
  return form;
}
