/** Translation by other services (docs/interface/script-runtime.md 8.10). */
import type { Config } from '../../../config/index.js';
import type { ScriptContext } from '../../run/run.js';
import { ScriptError } from '../../language/errors.js';
import type { FunctionCategory } from '../../run/function/function.js';
import { bytesBody } from '../../outside/http/bodies.js';
import { callOut } from '../../outside/http/client.js';
import { urlOf } from '../../outside/http/targets.js';
import { waitingSignal } from '../../run/limits/signals.js';
import { textOf } from '../../language/text.js';
import { optionalText } from '../../run/function/arguments.js';

const LONGEST = 30_000;
const LANGUAGE = /^[a-z]{2,3}(?:[-_][a-z0-9]{2,8})*$/i;

interface Question {
  readonly text: string;
  readonly from: string;
  readonly to: string;
}

interface Provider {
  readonly key: 'translation.google.apikey' | 'translation.deepl.apikey';
  readonly url: 'translation.google.url' | 'translation.deepl.url';
  headers(key: string): readonly [string, string];
  body(question: Question): object;
  /** Undefined: this is no answer of the service. */
  answer(json: unknown): unknown;
}

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
const first = (value: unknown): unknown => (Array.isArray(value) ? (value as unknown[])[0] : undefined);

const PROVIDERS: ReadonlyMap<string, Provider> = new Map<string, Provider>([
  [
    'google',
    {
      key: 'translation.google.apikey',
      url: 'translation.google.url',
      headers: (key) => ['X-Goog-Api-Key', key],
      body: ({ text, from, to }) => ({ q: text, source: from, target: to, format: 'text' }),
      answer: (json) => field(first(field(field(json, 'data'), 'translations')), 'translatedText'),
    },
  ],
  [
    'deepl',
    {
      key: 'translation.deepl.apikey',
      url: 'translation.deepl.url',
      headers: (key) => ['Authorization', `DeepL-Auth-Key ${key}`],
      body: ({ text, from, to }) => ({
        ...{ text: [text], source_lang: from.toUpperCase(), target_lang: to.toUpperCase() },
      }),
      answer: (json) => field(first(field(json, 'translations')), 'text'),
    },
  ],
]);

async function translated(provider: Provider, question: Question, context: ScriptContext): Promise<string> {
  const { config } = context.run.parts;
  const { signal, stop } = waitingSignal(context.run);
  try {
    const answer = await callOut(callTo(provider, question, config), config, signal);
    const text = Buffer.concat(answer.pieces).toString('utf8');
    const found = answer.status === 200 ? provider.answer(parsed(text)) : undefined;
    if (typeof found === 'string') return found;
    throw new ScriptError(
      422,
      `The translation service answers with status ${String(answer.status)} and no translation.`,
    );
  } finally {
    stop();
  }
}

function callTo(provider: Provider, question: Question, config: Config): Parameters<typeof callOut>[0] {
  const key = config.get(provider.key);
  if (key === '') throw new ScriptError(422, `translate() needs the setting ${provider.key}.`);
  return {
    method: 'POST',
    url: urlOf(config.get(provider.url)),
    headers: new Map([provider.headers(key)]),
    body: bytesBody(Buffer.from(JSON.stringify(provider.body(question))), 'application/json'),
    credentials: undefined,
    followsRedirects: false,
    connectTime: undefined,
    checksCertificates: true,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const translation: FunctionCategory = {
  title: 'Localization',
  functions: [
    {
      name: 'translate',
      signature: 'translate(text, from, to [, service = "google"])',
      meaning:
        'The text in another language, by Google or DeepL ("deepl"); their keys are settings (translation.google.apikey, ' +
        'translation.deepl.apikey). Languages are such as "de" and "en".',
      example: "translate('Haus', 'de', 'en')",
      min: 3,
      max: 4,
      pure: true,
      run: async ([value = null, source = null, target = null, service = null], context) => {
        if (value === null || source === null || target === null) return null;
        const question = { text: textOf(value, context), from: textOf(source, context), to: textOf(target, context) };
        const named = optionalText(service, 'google', context).toLowerCase();
        const provider = PROVIDERS.get(named);
        if (provider === undefined) {
          throw new ScriptError(422, `translate() knows ${[...PROVIDERS.keys()].join(' and ')}.`);
        }
        if (!LANGUAGE.test(question.from) || !LANGUAGE.test(question.to)) {
          throw new ScriptError(422, 'Languages of translate() are such as "de" and "en".');
        }
        if (question.text.length > LONGEST) {
          throw new ScriptError(422, `translate() takes at most ${String(LONGEST)} characters.`);
        }
        return question.text.trim() === '' ? question.text : translated(provider, question, context);
      },
    },
  ],
};
