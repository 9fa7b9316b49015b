/** The scripts of a function property (docs/interface/schema.md 5.7). */
import type { ReactNode } from 'react';
import { useAreaTexts } from '../../texts/catalogue.js';
import { memberTexts } from '../../texts/schema-members.js';
import { Choice, CodeInput, Tick } from '../form/fields.js';

export function Scripts(): ReactNode {
  const { t } = useAreaTexts(memberTexts);
  return (
    <>
      <CodeInput name="readFunction" label={t('function.read')} help={t('function.readHelp')} />
      <Tick name="readFunctionWrapJS" label={t('function.wrapRead')} />
      <CodeInput name="writeFunction" label={t('function.write')} help={t('function.writeHelp')} />
      <Tick name="writeFunctionWrapJS" label={t('function.wrapWrite')} />
      <Choice
        name="typeHint"
        label={t('function.typeHint')}
        help={t('function.typeHintHelp')}
        options={[['', t('function.noHint')], 'boolean', 'string', 'int', 'long', 'double', 'date']}
      />
      <Tick name="isCachingEnabled" label={t('function.caching')} help={t('function.cachingHelp')} />
    </>
  );
}
