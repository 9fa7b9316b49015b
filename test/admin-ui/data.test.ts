/** The area Data of the Admin UI, as a person uses it, in Chromium (docs/interface/admin-ui.md 5). */
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { violations } from '../support/accessible.js';
import type { TestServer } from '../support/server.js';
import { describeInBrowser, HOSTILE, type Person } from './person.js';

const LONG = `long ${'x'.repeat(10_000)}`;
const TURNED = 'abc \u202Egnp.exe';

interface Found {
  readonly result: readonly { readonly id: string; readonly [key: string]: unknown }[];
}

async function towns(server: TestServer): Promise<void> {
  const admin = server.as('admin', 'admin');
  const own = [
    { name: 'population', propertyType: 'Integer', indexed: true },
    { name: 'kind', propertyType: 'Enum', format: 'city,village,farm' },
    { name: 'open', propertyType: 'Boolean' },
    { name: 'founded', propertyType: 'Date' },
    { name: 'market', propertyType: 'Date', format: 'yyyy-MM-dd', category: 'Calendar' },
    { name: 'streets', propertyType: 'StringArray' },
    { name: 'heights', propertyType: 'IntegerArray' },
    { name: 'flags', propertyType: 'EnumArray', format: 'red,green' },
    { name: 'story', propertyType: 'String', format: 'multi-line', category: 'Texts' },
    { name: 'facts', propertyType: 'String', category: 'Texts' },
    { name: 'color', propertyType: 'String' },
    { name: 'big', propertyType: 'Long' },
    { name: 'pin', propertyType: 'Password' },
    { name: 'treasure', propertyType: 'Encrypted' },
  ];
  const town = await admin.create('SchemaNode', { name: 'Town', schemaProperties: own });
  const river = await admin.create('SchemaNode', { name: 'River' });
  const relate = (body: object): Promise<string> => admin.create('SchemaRelationshipNode', body);
  await relate({
    sourceId: town,
    targetId: river,
    relationshipType: 'LIES_AT',
    sourceMultiplicity: '*',
    targetMultiplicity: '*',
    sourceJsonName: 'towns',
    targetJsonName: 'rivers',
  });
  await relate({
    sourceId: town,
    targetId: town,
    relationshipType: 'PART_OF',
    sourceMultiplicity: '*',
    targetMultiplicity: '1',
    sourceJsonName: 'parts',
    targetJsonName: 'region',
  });
  const [elbe = '', oder = ''] = await Promise.all(
    ['Elbe', 'Oder', 'Spree'].map((name) => admin.create('River', { name })),
  );
  const some = Array.from({ length: 246 }, (_, i) => ({
    name: `Town ${String(i).padStart(3, '0')}`,
    population: i * 10,
    kind: i % 2 === 0 ? 'city' : 'village',
    founded: `${String(1500 + i)}-05-01T10:00:00+0000`,
    rivers: i === 5 ? [elbe, oder] : i === 6 ? [oder] : [],
  }));
  await admin.post('/Town', [
    ...some,
    { name: HOSTILE, population: 1, kind: 'city', story: HOSTILE },
    { name: LONG, population: 2 },
    { name: TURNED, population: 3 },
    {
      name: 'Everything',
      population: 70_000,
      kind: 'farm',
      open: true,
      founded: '1999-12-31T10:00:00+0000',
      market: '2024-03-01',
      streets: ['High Street', 'Mill Lane'],
      heights: [12, 7],
      flags: ['red'],
      story: 'first line\nsecond line',
      facts: '{"area": 12}',
      color: '#336699',
      big: 9_007_199_254_740_992,
      pin: 'secret pin',
      treasure: 'below the oak',
      rivers: [elbe],
    },
  ]);
  // Scripts hold no number of so many digits.
  await admin.post('/Town', '{"name": "Huge", "big": 9007199254740993, "population": -5}');
  await admin.post('/User', { name: 'guest', password: 'a guest' });
}

const idOf = async (person: Person, name: string, type = 'Town'): Promise<string> => {
  const { body } = await person.server
    .as('admin', 'admin')
    .get(`/${type}?name=${encodeURIComponent(name.slice(0, 99))}${name.length > 99 ? '&_inexact=1' : ''}`);
  return (body as Found).result[0]?.id ?? '';
};
const valueOf = async (person: Person, name: string, property: string): Promise<unknown> => {
  const id = await idOf(person, name);
  const { body } = await person.server.as('admin', 'admin').get(`/Town/${id}/all`);
  return (body as { readonly result: Readonly<Record<string, unknown>> }).result[property];
};
const namesOf = (value: unknown): unknown[] =>
  (value as readonly { readonly name: string }[]).map(({ name }) => name).sort();

/** Chooses columns of the table, and no others. */
async function choose(person: Person, names: readonly string[]): Promise<void> {
  const kept = JSON.stringify(JSON.stringify(names));
  await person.page.evaluate(`localStorage.setItem('svc.data.columns.Town', ${kept})`);
  await person.page.reload();
}

const settings = { 'application.encryption.secret': 'a secret of tests', 'application.changelog.enabled': 'true' };

describeInBrowser(
  'the area Data',
  towns,
  (person) => {
    it('filters by everything there is, sorts, and keeps columns and widths', async () => {
      const { page } = person();
      await person().logIn();
      await person().open('Data');
      await page.getByLabel('Find a type').fill('tow');
      await page.getByRole('link', { name: 'Town' }).click();
      await page.getByText('251 objects').waitFor();
      await page.getByRole('button', { name: 'population' }).click();
      await page.getByRole('button', { name: 'population' }).click();
      await page
        .getByRole('columnheader', { name: 'population' })
        .and(page.locator('[aria-sort=descending]'))
        .waitFor();
      await person().row('Everything').waitFor();
      await page.getByLabel('Filter population').fill('10..30');
      await page.getByText('3 objects').waitFor();
      expect(await violations(page)).toEqual([]);
      await person().picture('data');
      await page.getByRole('button', { name: 'Clear filters' }).click();

      await choose(person(), ['name', 'kind', 'open', 'founded', 'flags', 'streets', 'rivers', 'region']);
      await page.getByText('251 objects').waitFor();
      await page.getByRole('button', { name: 'Filter founded' }).click();
      await page.getByLabel('From').fill('1502-01-01');
      await page.getByLabel('To', { exact: true }).fill('1503-12-31');
      await page.getByText('2 objects').waitFor();
      await person().picture('data-filter-dates');
      expect(await violations(page)).toEqual([]);
      await page.getByLabel('Filter founded').getByRole('button', { name: 'Close' }).click();
      await page.getByRole('button', { name: 'Clear filters' }).click();

      await page.getByRole('button', { name: 'Filter kind' }).click();
      await page.getByRole('checkbox', { name: 'farm' }).check();
      await page.getByText('1 object', { exact: true }).waitFor();
      await page.getByLabel('Filter kind').getByRole('button', { name: 'Close' }).click();
      await page.getByRole('button', { name: 'Clear filters' }).click();

      await page.getByLabel('Filter open').selectOption('yes');
      await page.getByText('1 object', { exact: true }).waitFor();
      await page.getByLabel('Filter streets').fill('Mill Lane');
      await person().row('Everything').waitFor();
      await page.getByLabel('Filter streets').fill('Nowhere');
      await page.getByText('No object fits these filters.').waitFor();
      await page.getByRole('button', { name: 'Clear filters' }).click();

      await page.getByRole('button', { name: 'Filter rivers' }).click();
      await page.getByRole('combobox', { name: 'Add to rivers' }).fill('Od');
      await page.getByRole('option', { name: 'Oder' }).click();
      await page.getByText('2 objects').waitFor();
      await page.getByRole('combobox', { name: 'Add to rivers' }).fill('Elb');
      await page.getByRole('option', { name: 'Elbe' }).click();
      await page.getByText('3 objects').waitFor();
      expect(await violations(page)).toEqual([]);
      await person().picture('data-filter-related');
      await page.getByRole('button', { name: 'Remove Oder' }).click();
      await page.getByLabel('Filter rivers').getByRole('button', { name: 'Close' }).click();
      await page.getByText('2 objects').waitFor();
      await person().row('Town 005').getByText('Elbe, Oder').waitFor();

      // By keyboard; the browser keeps it.
      const edge = page.getByRole('separator', { name: 'Width of name' });
      await edge.focus();
      for (let i = 0; i < 5; i++) await page.keyboard.press('ArrowRight');
      const width = await edge.getAttribute('aria-valuenow');
      expect(Number(width)).toBeGreaterThan(200);
      await page.getByRole('button', { name: 'Columns' }).click();
      await page.getByLabel('Find a property').fill('heig');
      await page.getByRole('checkbox', { name: 'heights' }).check();
      await page.reload();
      await page.getByRole('columnheader', { name: 'heights' }).waitFor();
      expect(await page.getByRole('separator', { name: 'Width of name' }).getAttribute('aria-valuenow')).toBe(width);
    });

    it('edits values of all types in their places', async () => {
      const { page } = person();
      await person().logIn();
      await person().goTo('data/Town');
      await choose(person(), [
        'name',
        'open',
        'market',
        'flags',
        'heights',
        'story',
        'color',
        'pin',
        'big',
        'treasure',
      ]);
      await page.getByLabel('Filter name').fill('Everything');
      const row = person().row('Everything');
      await row.waitFor();
      await row.getByText('1 Mar 2024').waitFor();
      await row.getByText('12, 7').waitFor();
      const cell = (n: number): ReturnType<typeof row.getByRole> => row.getByRole('gridcell').nth(n);
      expect(await row.textContent()).not.toContain('oak');
      const save = (): Promise<void> => page.getByRole('button', { name: 'Save' }).click();

      await cell(2).focus();
      await page.keyboard.press('Enter');
      await page.getByLabel('Edit open').selectOption('no');
      await page.getByLabel('Edit open').press('Enter');
      await cell(2).getByText('–').waitFor();
      // The focus is where it was.
      await page.locator('[data-place="0:2"]:focus').waitFor();
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Enter');
      await page.getByLabel('Edit market').fill('2025-12-24');
      await page.getByLabel('Edit market').press('Enter');
      await row.getByText('24 Dec 2025').waitFor();
      await cell(4).dblclick();
      await page.getByRole('checkbox', { name: 'green' }).check();
      await save();
      await row.getByText('red, green').waitFor();
      await cell(5).dblclick();
      await page.getByRole('button', { name: 'Add an element to heights' }).click();
      await page.getByLabel('heights, element 3', { exact: true }).fill('many');
      expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
      await page.getByLabel('heights, element 3', { exact: true }).fill('99');
      await page.getByRole('button', { name: 'Remove heights, element 1' }).click();
      expect(await violations(page)).toEqual([]);
      await person().picture('data-edit-list');
      await save();
      await row.getByText('7, 99').waitFor();
      await cell(6).dblclick();
      await page.getByLabel('Edit story').fill('one\ntwo\nthree');
      await save();
      await row.getByText('three').waitFor();
      await cell(7).dblclick();
      await page.getByLabel('Colour of color').fill('#ff0000');
      await page.getByLabel('Edit color').press('Enter');
      await row.getByText('#ff0000').waitFor();
      await cell(8).dblclick();
      expect(await page.getByLabel('Edit pin').inputValue()).toBe('');
      await page.getByLabel('Edit pin').fill('another pin');
      await page.getByLabel('Edit pin').press('Enter');
      await cell(10).dblclick();
      expect(await page.getByLabel('Edit treasure').getAttribute('type')).toBe('password');
      await page.getByRole('button', { name: 'Show' }).click();
      expect(await page.getByLabel('Edit treasure').inputValue()).toBe('below the oak');
      await page.keyboard.press('Escape');
      const { body } = await person()
        .server.as('admin', 'admin')
        .get(`/Town/${await idOf(person(), 'Everything')}/all`);
      expect(body).toMatchObject({
        result: {
          open: false,
          market: '2025-12-24',
          flags: ['red', 'green'],
          heights: [7, 99],
          story: 'one\ntwo\nthree',
          color: '#ff0000',
          treasure: 'below the oak',
        },
      });
      // All digits of a number of 64 bits.
      await page.getByLabel('Filter name').fill('Huge');
      await person().row('Huge').getByText('9007199254740993').waitFor();
    });

    it('tells that somebody else has changed a value before it is replaced, and does not mind other values', async () => {
      const { page } = person();
      await person().logIn();
      await person().goTo('data/Town');
      await person().row('Town 010').getByText('Town 010').dblclick();
      await page.getByLabel('Edit name').fill('Mine');
      const admin = person().server.as('admin', 'admin');
      const id = await idOf(person(), 'Town 010');
      // What is written to another property is no conflict, and stays.
      await admin.put(`/Town/${id}`, { population: 4711 });
      await admin.put(`/Town/${id}`, { name: 'Theirs' });
      await page.getByLabel('Edit name').press('Enter');
      await page.getByText('Somebody else has changed this value meanwhile, to: Theirs.').waitFor();
      expect(await page.getByLabel('Edit name').inputValue()).toBe('Mine');
      await admin.put(`/Town/${id}`, { population: 4712 });
      await page.getByRole('button', { name: 'Save' }).click();
      await person().row('Mine').waitFor();
      expect(await valueOf(person(), 'Mine', 'population')).toBe(4712);
    });

    it('shows one object with all its properties, what is linked to it, and its changelog', async () => {
      const { page } = person();
      await person().logIn();
      await person().goTo('data/Town');
      await page.getByLabel('Filter name').fill('Everything');
      const row = person().row('Everything');
      await row.getByRole('gridcell').nth(1).focus();
      await page.keyboard.press('Shift+Enter');
      const panel = page.getByRole('complementary', { name: 'Object Everything' });
      await panel.getByRole('heading', { name: 'Texts' }).waitFor();
      await panel.getByRole('heading', { name: 'Calendar' }).waitFor();
      await panel.getByLabel('population').fill('70001');
      await panel.getByRole('link', { name: 'Elbe' }).waitFor();
      await panel.getByRole('combobox', { name: 'Add to rivers' }).fill('Spr');
      await page.getByRole('option', { name: 'Spree' }).click();
      await panel.getByRole('button', { name: 'Remove Elbe' }).click();
      await panel.getByRole('combobox', { name: 'region' }).fill('Town 001');
      await page.getByRole('option', { name: 'Town 001' }).click();
      // Somebody else links another river meanwhile: it stays.
      const admin = person().server.as('admin', 'admin');
      const [id, oder] = [await idOf(person(), 'Everything'), await idOf(person(), 'Oder', 'River')];
      await admin.post('/TownLIES_ATRiver', { sourceId: id, targetId: oder });
      await admin.put(`/Town/${id}`, { population: 5 });
      expect(await violations(page)).toEqual([]);
      await person().picture('data-object');
      await panel.getByRole('button', { name: 'Save' }).click();
      await panel.getByText('Somebody else has changed this value meanwhile, to: 5.').waitFor();
      await panel.getByRole('button', { name: 'Save' }).click();
      await panel.getByText('Saved.').waitFor();
      expect(await valueOf(person(), 'Everything', 'population')).toBe(70_001);
      expect(namesOf(await valueOf(person(), 'Everything', 'rivers'))).toEqual(['Oder', 'Spree']);
      expect(await valueOf(person(), 'Everything', 'region')).toMatchObject({ name: 'Town 001' });
      await panel.getByRole('link', { name: 'Spree' }).waitFor();

      await panel.getByRole('tab', { name: 'Changelog' }).click();
      const change = panel.getByRole('listitem').filter({ hasText: 'population' }).first();
      await change.getByText('70,001').waitFor();
      await change.getByText('admin').waitFor();
      await panel.getByRole('heading', { name: 'Linked: TownLIES_ATRiver' }).first().waitFor();
      await panel.getByText('River Spree').waitFor();
      expect(await violations(page)).toEqual([]);
      await person().picture('data-changelog');
      await page.keyboard.press('Escape');
      await panel.waitFor({ state: 'detached' });
      // The focus is back in the row.
      await page.keyboard.press('Enter');
      await page.getByLabel('Edit name').waitFor();
    });

    it('creates with related objects, and deletes selected ones and all that are found', async () => {
      const { page } = person();
      await person().logIn();
      await person().goTo('data/Town');
      await page.getByText('251 objects').waitFor();
      await page.getByRole('button', { name: 'New object' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('name', { exact: true }).fill('AAA');
      await dialog.getByLabel('population').fill('many');
      expect(await dialog.getByRole('button', { name: 'Create' }).isDisabled()).toBe(true);
      await dialog.getByLabel('population').fill('7');
      await dialog.getByLabel('kind').selectOption('village');
      await dialog.getByRole('combobox', { name: 'Add to rivers' }).fill('Elb');
      await page.getByRole('option', { name: 'Elbe' }).click();
      expect(await violations(page)).toEqual([]);
      await person().picture('data-create');
      await dialog.getByRole('button', { name: 'Create' }).click();
      await page.getByText('252 objects').waitFor();
      expect(namesOf(await valueOf(person(), 'AAA', 'rivers'))).toEqual(['Elbe']);
      await page.getByLabel('Filter name').fill('AAA');
      await page.getByText('1 object', { exact: true }).waitFor();
      await person().row('AAA').getByRole('gridcell').nth(1).focus();
      await page.keyboard.press('Space');
      await page.getByRole('button', { name: 'Delete 1 object', exact: true }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('No object fits these filters.').waitFor();
      await page.getByText('1 object was deleted.').waitFor();

      await page.getByLabel('Filter name').fill('Town 2');
      await page.getByText('46 objects').waitFor();
      await page.getByRole('checkbox', { name: 'Select all that are found' }).check();
      await page.getByRole('button', { name: 'Delete 46 objects' }).click();
      await page.getByText('Delete all 46 objects that are found?').waitFor();
      await person().picture('data-delete');
      await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('46 objects were deleted.').waitFor();
      expect((await person().server.as('admin', 'admin').get('/Town')).body).toMatchObject({ result_count: 205 });
    });

    it('takes objects out and in, as JSON and as CSV', async () => {
      const { page } = person();
      await person().logIn();
      await person().goTo('data/Town');
      await page.getByLabel('Filter name').fill('Town 005');
      await page.getByText('1 object', { exact: true }).waitFor();
      const saved = async (format: string): Promise<string> => {
        await page.getByRole('button', { name: 'Export' }).click();
        const coming = page.waitForEvent('download');
        await page.getByRole('menuitem', { name: format }).click();
        return readFile(await (await coming).path(), 'utf8');
      };
      expect(await saved('CSV')).toContain('"Town 005"');
      const { result } = JSON.parse(await saved('JSON')) as Found;
      expect(result).toHaveLength(1);
      expect(result[0]).toMatchObject({
        name: 'Town 005',
        population: 50,
        rivers: [{ name: 'Elbe' }, { name: 'Oder' }],
      });

      const load = async (format: string, name: string, text: string): Promise<void> => {
        await page.getByRole('button', { name: 'Import' }).click();
        const asked = page.waitForEvent('filechooser');
        await page.getByRole('menuitem', { name: format }).click();
        await (await asked).setFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
      };
      const changed = [
        { ...result[0], population: 51 },
        { name: 'From JSON', population: 52, streets: ['a', 'b'], big: 'BIG' },
        { name: HOSTILE, population: 53 },
      ];
      const whole = JSON.stringify({ result: changed }).replace('"BIG"', '9007199254740993');
      await load('JSON file', 'towns.json', whole);
      await page.getByText('2 objects were made, 1 was changed.').waitFor();
      expect(await valueOf(person(), 'Town 005', 'population')).toBe(51);
      expect(namesOf(await valueOf(person(), 'Town 005', 'rivers'))).toEqual(['Elbe', 'Oder']);
      expect(await valueOf(person(), 'From JSON', 'streets')).toEqual(['a', 'b']);
      const { text } = await person().server.as('admin', 'admin').get('/Town/all?name=From%20JSON');
      expect(text).toContain('"big": 9007199254740993');
      await load('JSON file', 'wrong.json', '[1, 2]');
      await page.getByText('The file holds no list of objects in JSON.').waitFor();
      await load('JSON file', 'wrong.json', '[{"name": "x", "population": "many"}]');
      await page.getByRole('alert').getByText('population must be numerical').waitFor();
      await load('CSV file', 'towns.csv', 'name;population\nFrom CSV;54\n');
      await page.getByText('1 object was made.').waitFor();
      expect(await valueOf(person(), 'From CSV', 'population')).toBe(54);
    });

    it('shows hostile names as text, everywhere', async () => {
      const { page } = person();
      await person().logIn();
      await person().goTo('data/Town');
      await page.getByRole('button', { name: 'population' }).click();
      await person().row(HOSTILE).first().waitFor();
      await person().row(TURNED).waitFor();
      await person().picture('data-hostile');
      await person().goTo(`data/Town/${await idOf(person(), LONG)}`);
      await page.getByRole('complementary').getByLabel('population').waitFor();
      await person().picture('data-long-name');
      // Nothing is wider than the window.
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      await person().goTo(`data/Town/${await idOf(person(), HOSTILE)}`);
      const panel = page.getByRole('complementary');
      await panel.getByRole('heading', { name: HOSTILE }).waitFor();
      await panel.getByRole('tab', { name: 'Changelog' }).click();
      await panel.getByText(HOSTILE).first().waitFor();
      expect(await page.title()).toContain('Admin UI');
    });

    it('speaks German, with its plural forms', async () => {
      const { page } = person();
      await person().logIn();
      await page.getByLabel('Language').selectOption('de');
      await person().goTo('data/River');
      await page.getByText('3 Objekte').waitFor();
      await page.getByLabel('name filtern').fill('Elbe');
      await page.getByText('1 Objekt', { exact: true }).waitFor();
    });
  },
  { settings },
);
