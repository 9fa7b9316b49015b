import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ScriptContext } from '../../../src/main/scripting/run/run.js';
import { ScriptError } from '../../../src/main/scripting/language/errors.js';
import { isScriptObject, type ScriptObject, type ScriptValue } from '../../../src/main/scripting/language/values.js';
import { ScriptWorld } from '../support.js';
import { call } from './support.js';

describe('XML of scripts', () => {
  let world: ScriptWorld;
  let context: ScriptContext;
  beforeAll(async () => {
    world = await ScriptWorld.open();
    context = world.context();
  });
  afterAll(() => world.close());

  async function xml(text: string): Promise<ScriptObject> {
    const found = await call(context, 'xml', text);
    if (!isScriptObject(found)) throw new Error('no element');
    return found;
  }

  it('is a document that scripts can walk', async () => {
    const root = await xml('<?xml version="1.0"?><a id="1">x<b>y</b><![CDATA[<z>]]></a>');
    expect([root.get('name'), root.get('text'), root.get('unknown')]).toEqual(['a', 'xy<z>', null]);
    expect(root.get('attributes')).toEqual(new Map([['id', '1']]));
    const [child = null] = (await root.get('children')) as ScriptValue[];
    expect(isScriptObject(child) && child.get('text')).toBe('y');
  });

  it('becomes JSON', async () => {
    const text = '<a n="1"><b>x</b><b c="true">2.5 <d/></b><e>007</e></a>';
    const json = (await call(context, 'fromXml', text)) as string;
    expect(JSON.parse(json)).toEqual({ a: { n: 1, b: ['x', { c: true, content: 2.5, d: '' }], e: '007' } });
    expect(json).toMatch(/^\{\n {4}"a": \{\n {8}"n": 1,/);
  });

  it.each(['<a>', 'text', '', '<a>&x;</a>', '<a><b></a></b>'])('%s is none', async (text) => {
    expect(await call(context, 'xml', text)).toBeNull();
    expect(await call(context, 'fromXml', text)).toBeNull();
  });

  it('has no entities of its own or of other files', async () => {
    const bomb = '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd"><!ENTITY y "yyyy">]><a>&y;&x;</a>';
    expect(await call(context, 'xml', bomb)).toBeNull();
  });

  it('takes names of built-in keys as any others', async () => {
    expect(JSON.parse((await call(context, 'fromXml', '<a><__proto__>x</__proto__></a>')) as string)).toEqual(
      JSON.parse('{"a": {"__proto__": "x"}}'),
    );
  });

  it('null stays null', async () => {
    expect(await call(context, 'xml', null)).toBeNull();
    expect(await call(context, 'fromXml', null)).toBeNull();
  });

  it('is refused when it is too long, too deep or has too many elements', async () => {
    expect(() => call(context, 'xml', 'x'.repeat(5_000_000))).toThrow(ScriptError);
    expect(await call(context, 'xml', '<a>'.repeat(1000) + '</a>'.repeat(1000))).toBeNull();
    expect(await call(context, 'xml', `<a>${'<b/>'.repeat(250_000)}</a>`)).toBeNull();
  });
});
