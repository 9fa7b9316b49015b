/** XPath over documents of XML (docs/interface/script-runtime.md 8.5). */
import type { FoundElement, XPathJob, XPathValue } from '../../../../workers/documents/xpath.js';
import type { ScriptContext } from '../../run/run.js';
import { ScriptError } from '../../language/errors.js';
import { xmlText, type XmlElement } from '../../language/formats/xml-document.js';
import type { FunctionCategory, ScriptFunction } from '../../run/function/function.js';
import { textOf } from '../../language/text.js';
import type { ScriptValue } from '../../language/values.js';
import { misused, optionalText } from '../../run/function/arguments.js';
import { readXml, XmlObject } from './xml.js';

const LONGEST_EXPRESSION = 10_000;
const MOST_NODES = 20_000;
/** Of what is found: it is taken over by the loop at once. */
const LONGEST_RESULT = 2 * 1024 * 1024;
const TYPES = ['STRING', 'NUMBER', 'BOOLEAN', 'NODESET', 'NODE'] as const;

function valueOf(found: FoundElement | string): ScriptValue {
  return typeof found === 'string' ? found : new XmlObject(found);
}

async function evaluated(
  element: XmlElement,
  expression: string,
  type: XPathJob['type'],
  context: ScriptContext,
): Promise<ScriptValue> {
  const job: XPathJob = { ...(await xmlText(element)), expression, type, most: MOST_NODES, longest: LONGEST_RESULT };
  const outcome = await context.run.parts.threads.run<XPathValue>('documents/xpath', job, 'xpath()', context);
  if ('problem' in outcome) throw new ScriptError(422, `xpath() cannot be evaluated: ${outcome.problem}.`);
  const { value } = outcome;
  if (typeof value !== 'object') return value;
  return type === 'NODESET' ? value.map(valueOf) : value[0] === undefined ? null : valueOf(value[0]);
}

const xpathFunction: ScriptFunction = {
  name: 'xpath',
  signature: 'xpath(document, expression [, returnType = "STRING"])',
  meaning:
    'What an XPath expression (version 1.0) finds in a document of `xml` or in XML text: a text, or, as the type says, a NUMBER, ' +
    'a BOOLEAN, a NODESET (list) or its first NODE; elements are as of `xml`, attributes and texts are texts. Names without a ' +
    'prefix are found in all namespaces. Null when the text is no document.',
  example: `xpath('<a><b c="1">x</b><b>y</b></a>', 'count(//b)', 'NUMBER') // 2.0`,
  min: 2,
  max: 3,
  pure: true,
  run(args, context) {
    const [document = null, expression = null, type = null] = args;
    if (document === null || expression === null) return null;
    const source = textOf(expression, context);
    const name = optionalText(type, 'STRING', context).toUpperCase();
    const kind = TYPES.find((one) => one === name);
    if (kind === undefined) return misused(this, `has no type ${JSON.stringify(name.slice(0, 100))}`, context);
    if (source.length > LONGEST_EXPRESSION) throw new ScriptError(422, 'The expression of xpath() is too long.');
    const use = (element: XmlElement): Promise<ScriptValue> => evaluated(element, source, kind, context);
    return document instanceof XmlObject ? use(document.element) : readXml(document, 'xpath', context, use);
  },
};

export const xpathFunctions: FunctionCategory = { title: 'XML', functions: [xpathFunction] };
