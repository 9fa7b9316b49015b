/** docs/interface/scripting.md 1.3, 4.2, 7: texts with scripts in them. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ScriptContext } from '../../src/main/scripting/run/run.js';
import { ScriptError } from '../../src/main/scripting/language/errors.js';
import {
  attributeValue,
  PAGE_MARKUP,
  replaceScripts,
  type TemplateForm,
} from '../../src/main/scripting/calling/templates.js';
import { escapeHtml } from '../../src/main/scripting/language/formats/html-entities.js';
import { textOf } from '../../src/main/scripting/language/text.js';
import type { ScriptValue } from '../../src/main/scripting/language/values.js';
import { ScriptWorld } from './support.js';

let world: ScriptWorld;
beforeAll(async () => {
  world = await ScriptWorld.open();
});
afterAll(() => world.close());

beforeEach(() => {
  world.lines.length = 0;
  world.engine.functions.set('print', ([text = null], context) => {
    context.run.printed += textOf(text, context);
    return null;
  });
  world.engine.functions.set('fail', () => Promise.reject(new ScriptError(422, 'It failed.')));
  world.engine.javascript = async (source, context) => {
    if (source.includes('throw')) throw new ScriptError(422, 'It threw.');
    if (source.includes('print')) context.run.printed += 'printed';
    const text = /'(.*)'|(\d+)/.exec(source);
    return text === null ? null : (text[1] ?? BigInt(text[2] ?? 0));
  };
});

function context(): ScriptContext {
  const constants: Record<string, ScriptValue> = {
    page: new Map([['name', 'test']]),
    date: new Date('2024-01-03T10:00:00Z'),
    list: ['a', 1n],
    markup: '<b a="1">\n&</b>',
    blank: ' ',
  };
  return world.context({ constants });
}

async function replaced(text: string, form?: TemplateForm): Promise<string> {
  return replaceScripts(text, context(), form);
}

describe('texts with scripts', () => {
  it.each([
    ["{${42}${print('123')}${{ 'test'; }}$$${page.name}}${{ 99; }}", '{42.0123test$$test}99'],
    ["'${err}'", "''"],
    ['x${is(false, 1)}z', 'xz'],
    ['plain', 'plain'],
    ['a ${1} b ${1} ${2}', 'a 1.0 b 1.0 2.0'],
    ['${date}', '2024-01-03T10:00:00+0000'],
    ['${list}', '[a, 1]'],
    ['${markup}', '<b a="1">\n&</b>'],
    ['${invalid_script(code..', '${invalid_script(code..'],
    ['a${1}${invalid', 'a1.0${invalid'],
    ['other ${null}', 'other '],
    ['${{ null; }}', ''],
    ['${{ print(); "result"; }}', 'printed'],
    ["(${(print('a'), 'b')})", '(b)'],
    ['${unknown(1)}!', '!'],
    ['${js{ 3; }}', '3'],
  ])('%s', async (text, expected) => {
    expect(await replaced(text)).toBe(expected);
  });

  it('are replaced at once where nothing has to be waited for', () => {
    expect(replaceScripts("${page.name} ${if(true, 'a', 'b')}", context())).toBe('test a');
  });

  it('tell where an expression cannot be read', async () => {
    await replaced('a\n  ${page.name)}');
    expect(world.lines.join('')).toContain('test:2:14: ');
  });

  it('fail with their scripts, and keep what was printed before', async () => {
    const own = context();
    own.run.printed = 'before';
    await expect(replaceScripts('${print("a")}${fail()}', own)).rejects.toThrow('It failed.');
    await expect(replaceScripts('${{ throw 1; }}', own)).rejects.toThrow('It threw.');
    expect(() => replaceScripts('${if(true, 1)}', own)).toThrow(ScriptError);
    expect(() => replaceScripts('${python{ 1 }}', own)).toThrow('python cannot be run');
    expect(own.run.printed).toBe('before');
  });
});

/** As pages show texts (`pages/plan/texts.ts`). */
const TEXT: TemplateForm = { ...PAGE_MARKUP, escape: (text) => escapeHtml(text).replaceAll('\n', '<br>') };
const TEXTAREA: TemplateForm = { ...PAGE_MARKUP, escape: escapeHtml };

describe('pages', () => {
  it.each([
    ['a\n<b>${markup}${1}', TEXT, 'a<br>&lt;b&gt;&lt;b a=&quot;1&quot;&gt;<br>&amp;&lt;/b&gt;1.0'],
    ['a\n<b>${markup}', TEXTAREA, 'a\n&lt;b&gt;&lt;b a=&quot;1&quot;&gt;\n&amp;&lt;/b&gt;'],
    ['a\n<b>${markup}', PAGE_MARKUP, 'a\n<b><b a="1">\n&</b>'],
    ['${date}', PAGE_MARKUP, 'Wed Jan 03 10:00:00 UTC 2024'],
    ['(${blank})', PAGE_MARKUP, '()'],
    ['a${1}${invalid', PAGE_MARKUP, 'a1.0'],
    ["${{ print('A'); 'B' }}", PAGE_MARKUP, 'printedA'],
    ['a${fail()}${{ throw 1; }}${if(true)}b', PAGE_MARKUP, 'ab'],
  ])('%s', async (text, form, expected) => {
    expect(await replaced(text, form)).toBe(expected.replace('printedA', "printedA'); 'B"));
  });

  it('log what failed', async () => {
    await replaced('a${fail()}', PAGE_MARKUP);
    expect(world.lines.join('')).toContain('test:1:4: It failed.');
  });
});

describe('attributes', () => {
  it.each([
    ["${if(false,'x',null)}", null],
    ["${is(false,'x')}", null],
    [' ${null} ${null}', null],
    ['other ${null}', 'other '],
    ['', ''],
    ["${''}", ''],
    ['${{ null; }}', ''],
    ["${print('a')}", 'a'],
    ['${fail()}', null],
    ['a ${{ throw 1; }}', null],
    ['a ${if(true)}', null],
    ['a ${1', 'a ${1'],
  ])('%s', async (text, expected) => {
    expect(await attributeValue(text, context())).toBe(expected);
  });
});
