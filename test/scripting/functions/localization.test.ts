import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/shared/json/index.js';
import { ALLOW_ALL, SYSTEM } from '../../../src/main/schema/index.js';
import { ScriptWorld } from '../support.js';
import { call } from './support.js';

describe('localize', () => {
  let world: ScriptWorld;
  beforeAll(async () => {
    world = await ScriptWorld.open({ 'application.localization.logmissing': true });
    const texts: JsonObject[] = [
      { name: 'yes', locale: 'de_AT', domain: 'shop', localizedName: 'Jo (shop)' },
      { name: 'yes', locale: 'de_AT', localizedName: 'Jo' },
      { name: 'yes', locale: 'de', domain: 'shop', localizedName: 'Ja (shop)' },
      { name: 'yes', locale: 'de', domain: '', localizedName: 'Ja' },
      { name: 'only', locale: 'en', localizedName: 'Only' },
      { name: 'apart', locale: 'de', domain: 'shop', localizedName: 'Getrennt' },
    ];
    for (const one of texts) await world.create('Localization', one);
  });
  afterAll(() => world.close());
  afterEach(() => {
    world.parts.config.set('application.localization.usefallbacklocale', false);
    world.lines.length = 0;
  });

  const localize = async (locale: string, ...args: (string | null)[]): Promise<unknown> =>
    call(world.context({ locale }), 'localize', ...args);

  it.each([
    ['de_AT', 'shop', 'Jo (shop)'],
    ['de_AT', 'other', 'Jo'],
    ['de_AT', null, 'Jo'],
    ['de_CH', 'shop', 'Ja (shop)'],
    ['de_CH', 'other', 'Ja'],
    ['de', null, 'Ja'],
    ['fr_FR', 'shop', 'yes'],
  ])('in %s with the domain %s is %s', async (locale, domain, expected) => {
    for (let time = 0; time < 2; time++) expect(await localize(locale, 'yes', domain)).toBe(expected);
  });

  it('a text of a domain is none without it', async () => {
    expect(await localize('de_DE', 'apart')).toBe('apart');
    expect(await localize('de_DE', 'apart', 'shop')).toBe('Getrennt');
  });

  it('looks in the fallback locale when the settings say so, at once', async () => {
    expect(await localize('de_DE', 'only')).toBe('only');
    world.parts.config.set('application.localization.usefallbacklocale', true);
    expect(await localize('de_DE', 'only')).toBe('Only');
  });

  it('null is the empty text, a list a list of maps', async () => {
    expect(await localize('de', null)).toBe('');
    expect(await call(world.context({ locale: 'de' }), 'localize', ['yes', 'none'])).toEqual([
      new Map([
        ['name', 'yes'],
        ['localizedName', 'Ja'],
      ]),
      new Map([
        ['name', 'none'],
        ['localizedName', 'none'],
      ]),
    ]);
  });

  it('says in the log what is missing', async () => {
    await localize('fr_FR', 'nowhere', 'shop');
    expect(world.lines.join('')).toContain('no localization of nowhere for fr_FR in the domain shop');
  });

  it('what was looked up is kept, also that there is nothing, until a localization is committed', async () => {
    expect(await localize('it', 'new')).toBe('new');
    const kept = world.context({ locale: 'it' });
    // Nothing is waited for.
    expect(call(kept, 'localize', 'new')).toBe('new');
    const id = await world.create('Localization', { name: 'new', locale: 'it', localizedName: 'Nuovo' });
    expect(await localize('it', 'new')).toBe('Nuovo');
    const { schemas, write } = world.parts;
    await schemas.write(SYSTEM, ALLOW_ALL, write(), async (objects) => {
      const node = await objects.tx.node(id);
      if (node !== undefined) await objects.delete(node);
    });
    expect(await localize('it', 'new')).toBe('new');
  });

  it('a script sees what it has written itself, and nobody else does before the commit', async () => {
    const context = world.context({ locale: 'es' });
    expect(await call(context, 'localize', 'own')).toBe('own');
    await call(
      context,
      'create',
      'Localization',
      new Map([
        ['name', 'own'],
        ['locale', 'es'],
        ['localizedName', 'Propio'],
      ]),
    );
    expect(await call(context, 'localize', 'own')).toBe('Propio');
    expect(await localize('es', 'own')).toBe('own');
    await context.run.transaction.commit();
    expect(await localize('es', 'own')).toBe('Propio');
  });
});
