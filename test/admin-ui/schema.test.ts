/** The area Schema of the Admin UI as a person uses it, in Chromium. */
import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { violations } from '../support/accessible.js';
import type { TestServer } from '../support/server.js';
import { describeInBrowser, HOSTILE } from './person.js';

const nothing = (): Promise<void> => Promise.resolve();
const dialog = (page: Page): Locator => page.getByRole('dialog');
const tab = (page: Page, name: string): Promise<void> => page.getByRole('tab', { name, exact: true }).click();

/** An object of the schema by its name, in the view `all`. */
async function named(server: TestServer, type: string, name: string): Promise<Record<string, unknown>> {
  const { body } = await server.as('admin', 'admin').get(`/${type}/all?name=${encodeURIComponent(name)}`);
  return (body as { readonly result: readonly Record<string, unknown>[] }).result[0] ?? {};
}

/** Fills the form of a new property, as far as it has been given, and saves it. */
async function addProperty(
  page: Page,
  name: string,
  type: string,
  more: (form: Locator) => Promise<void> = nothing,
): Promise<void> {
  const form = dialog(page);
  await page.getByRole('button', { name: 'New property' }).click();
  await form.getByLabel('Name', { exact: true }).fill(name);
  await form.getByLabel('Type', { exact: true }).selectOption(type);
  await more(form);
  await form.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('button', { name, exact: true }).waitFor();
}

type Fill = (form: Locator) => Promise<void>;
const fills =
  (...entries: readonly (readonly [label: string, value: string])[]): Fill =>
  async (form) => {
    for (const [label, value] of entries) await form.getByLabel(label, { exact: true }).fill(value);
  };
const selects =
  (label: string, option: string): Fill =>
  async (form) => {
    const field = form.getByRole('combobox', { name: label, exact: true });
    // The names of relations come a little later.
    await field.locator('option').filter({ hasText: option }).first().waitFor({ state: 'attached' });
    await field.selectOption(option);
  };
const all =
  (...fillings: readonly Fill[]): Fill =>
  async (form) => {
    for (const one of fillings) await one(form);
  };
const checks =
  (name: string): Fill =>
  (form) =>
    form.getByRole('checkbox', { name, exact: true }).check();
const noFields: Fill = () => Promise.resolve();

/** Each type of properties, what is entered in its form, and what is stored then. */
const KINDS: Readonly<Record<string, readonly [Fill, Readonly<Record<string, unknown>>]>> = {
  String: [
    all(fills(['Pattern', '[a-z]+'], ['Default value', 'abc']), checks('full-text index')),
    { format: '[a-z]+', defaultValue: 'abc', fulltext: true },
  ],
  Integer: [fills(['From', '1'], ['To', '9'], ['Default value', '3']), { format: '[1,9]', defaultValue: '3' }],
  Long: [fills(['From', '0'], ['To', '9007199254740993']), { format: '[0,9007199254740993]' }],
  Double: [fills(['From', '0.5'], ['To', '1.5'], ['Default value', '0.7']), { defaultValue: '0.7' }],
  Boolean: [selects('Default value', 'true'), { defaultValue: 'true' }],
  Date: [fills(['Pattern of dates', 'yyyy-MM-dd']), { format: 'yyyy-MM-dd' }],
  ZonedDateTime: [checks('indexed'), { indexed: true }],
  Enum: [all(fills(['Members', 'open, done']), selects('Default value', 'done')), { defaultValue: 'done' }],
  StringArray: [fills(['Pattern', '[a-z]+']), { format: '[a-z]+' }],
  IntegerArray: [fills(['From', '1'], ['To', '9']), { format: '[1,9]' }],
  LongArray: [noFields, {}],
  DoubleArray: [noFields, {}],
  BooleanArray: [noFields, {}],
  DateArray: [fills(['Pattern of dates', 'yyyy']), { format: 'yyyy' }],
  EnumArray: [fills(['Members', 'red green']), { format: 'red green' }],
  ByteArray: [checks('read-only'), { readOnly: true }],
  Password: [checks('required'), { notNull: true }],
  Encrypted: [noFields, {}],
  Notion: [all(selects('Relation', 'towns'), fills(['Keys, separated by commas', 'name'])), { format: 'towns, name' }],
  IdNotion: [selects('Relation', 'towns'), { format: 'towns' }],
  Count: [selects('Relation', 'towns'), { format: 'towns' }],
  Function: [
    async (form) => {
      await form.getByRole('textbox', { name: 'Read function' }).fill("concat('a', 'b')");
      await form.getByRole('textbox', { name: 'Write function' }).fill('log(value)');
    },
    { readFunction: "concat('a', 'b')", writeFunction: 'log(value)' },
  ],
  Thumbnail: [fills(['Width in pixels', '64'], ['Height in pixels', '32']), { format: '64, 32' }],
  Cypher: [fills(['Cypher', 'MATCH (n) RETURN n']), { format: 'MATCH (n) RETURN n' }],
};

describeInBrowser('the area Schema', nothing, (person) => {
  it('defines types, properties, methods and views, and shows refusals at the field', async () => {
    const { page, server } = person();
    const admin = server.as('admin', 'admin');
    const form = dialog(page);
    await person().logIn();
    await person().open('Schema');
    await page.getByText('There is no type of your own yet.').waitFor();

    await page.getByRole('button', { name: 'New type' }).click();
    await form.getByLabel('Name', { exact: true }).fill('project');
    await form.getByRole('button', { name: 'Create' }).click();
    await form.getByText('It has not the form that is needed').waitFor();
    expect(await form.getByLabel('Name', { exact: true }).getAttribute('aria-invalid')).toBe('true');
    await form.getByLabel('Name', { exact: true }).fill('Project');
    await form.getByLabel('Add a type to inherit').fill('Grou');
    await page.getByRole('option', { name: 'Group', exact: true }).click();
    await form.getByRole('button', { name: 'Do not inherit Group' }).waitFor();
    await page.keyboard.press('Escape');
    await form.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 2, name: 'Project' }).waitFor();
    expect((await named(server, 'SchemaNode', 'Project'))['inheritedTraits']).toEqual(['Group']);

    // A form for each kind of property.
    await addProperty(page, 'code', 'String', async (fields) => {
      await fields.getByLabel('Pattern').fill('[A-Z]+');
      await fields.getByRole('checkbox', { name: 'unique', exact: true }).check();
      await fields.getByLabel('Hint').fill(HOSTILE);
    });
    await addProperty(page, 'rank', 'Integer', async (fields) => {
      await fields.getByLabel('From').fill('1');
      await fields.getByLabel('To', { exact: true }).fill('10');
      await fields.getByLabel('including the upper end').uncheck();
      await fields.getByLabel('Default value').fill('3');
    });
    await addProperty(page, 'label', 'Function', async (fields) => {
      const code = fields.getByRole('textbox', { name: 'Read function' });
      await code.fill('{\n  return (;\n}');
      await fields.getByText('JavaScript cannot be read in line 2.').waitFor();
      expect(await violations(page)).toEqual([]);
      await person().picture('schema-function');
      await code.fill("{\n  return 'Project ' + $.this.name;\n}");
      await fields.getByText('JavaScript cannot be read').waitFor({ state: 'hidden' });
      await fields.getByLabel('Type of the result').selectOption('string');
    });
    await page.getByRole('button', { name: 'New property' }).click();
    await form.getByLabel('Name', { exact: true }).fill('state');
    await form.getByLabel('Type', { exact: true }).selectOption('Enum');
    await form.getByRole('button', { name: 'Create' }).click();
    await form.getByText('the format names no members').waitFor();
    expect(await form.getByLabel('Members').getAttribute('aria-invalid')).toBe('true');
    expect(await violations(page)).toEqual([]);
    await person().picture('schema-refused');
    await form.getByLabel('Members').fill('open\ndone');
    await form.getByLabel('Default value').selectOption('open');
    await form.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('button', { name: 'state', exact: true }).waitFor();
    await person().row(HOSTILE).waitFor();
    expect(await named(server, 'SchemaProperty', 'rank')).toMatchObject({ format: '[1,10[', defaultValue: '3' });
    expect(await named(server, 'SchemaProperty', 'code')).toMatchObject({ format: '[A-Z]+', unique: true });
    const made = (await admin.post('/Project', { name: 'One', code: 'A' })).body as { readonly result: string[] };
    const { body } = await admin.get(`/Project/${made.result[0] ?? ''}/all`);
    expect(body).toMatchObject({ result: { rank: 3, state: 'open', label: 'Project One' } });
    await page.getByText('inherited properties and relations').click();
    await person().row('createdDate').waitFor();
    expect(await violations(page)).toEqual([]);
    await person().picture('schema-properties');

    // Two who edit are told.
    await page.getByRole('button', { name: 'rank', exact: true }).click();
    await form.getByLabel('Default value').fill('5');
    const rank = await named(server, 'SchemaProperty', 'rank');
    await admin.put(`/SchemaProperty/${String(rank['id'])}`, { defaultValue: '7', indexed: true });
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Somebody else has changed defaultValue meanwhile, to: 7.').waitFor();
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'hidden' });
    expect(await named(server, 'SchemaProperty', 'rank')).toMatchObject({ defaultValue: '5', indexed: true });

    await tab(page, 'Views');
    await page.getByRole('button', { name: 'New view' }).click();
    await form.getByLabel('Name', { exact: true }).fill('short');
    await form.getByLabel('Find a property').fill('rank');
    await form.getByRole('checkbox', { name: 'rank', exact: true }).check();
    await form.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('button', { name: 'short', exact: true }).waitFor();
    const short = (await admin.get('/Project/short')).body as { readonly result: readonly object[] };
    expect(Object.keys(short.result[0] ?? {}).sort()).toEqual(['id', 'name', 'rank', 'type']);

    await tab(page, 'Methods');
    await page.getByRole('button', { name: 'New method' }).click();
    await form.getByLabel('Name', { exact: true }).fill('twice');
    await form.getByRole('textbox', { name: 'Source' }).fill('{ return 2 * $.methodParameters.n; }');
    await form.getByRole('button', { name: 'Add a parameter' }).click();
    await form.getByRole('group', { name: 'Parameter 1' }).getByLabel('Name').fill('n');
    await form.getByRole('group', { name: 'Parameter 1' }).getByLabel('Type').fill('int');
    await form.getByRole('checkbox', { name: 'static' }).check();
    await form.getByRole('checkbox', { name: 'the answer is the value alone' }).check();
    expect(await violations(page)).toEqual([]);
    await person().picture('schema-method');
    await form.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('button', { name: 'twice', exact: true }).waitFor();
    expect((await admin.post('/Project/twice', { n: '21' })).body).toBe(42);
  });

  it('has a form for each type of properties', async () => {
    const { page, server } = person();
    const admin = server.as('admin', 'admin');
    const sample = await admin.create('SchemaNode', { name: 'Sample', inheritedTraits: ['Image'] });
    const town = await admin.create('SchemaNode', { name: 'SampleTown' });
    await admin.post('/SchemaRelationshipNode', {
      ...{ sourceId: sample, targetId: town, relationshipType: 'SHOWS' },
      ...{ sourceMultiplicity: '*', targetMultiplicity: '*', targetJsonName: 'towns' },
    });
    await person().logIn();
    await person().goTo('schema/types/Sample');
    await page.getByRole('button', { name: 'New property' }).click();
    const offered = await dialog(page).getByLabel('Type', { exact: true }).locator('option').allTextContents();
    expect([...offered].sort()).toEqual(Object.keys(KINDS).sort());
    await page.keyboard.press('Escape');
    for (const [type, [fill]] of Object.entries(KINDS)) await addProperty(page, `a${type}`, type, fill);
    const { body } = await admin.get(`/SchemaProperty/all?schemaNode=${sample}`);
    const stored = new Map(
      (body as { result: Record<string, unknown>[] }).result.map((one) => [one['name'], one] as const),
    );
    for (const [type, [, wanted]] of Object.entries(KINDS))
      expect(stored.get(`a${type}`)).toMatchObject({ propertyType: type, ...wanted });
    // The form shows what is stored.
    await page.getByRole('button', { name: 'aThumbnail', exact: true }).click();
    await expect.poll(() => dialog(page).getByLabel('Height in pixels').inputValue()).toBe('32');
    expect((await admin.get('/Sample/all')).status).toBe(200);
  });

  it('changes, renames and deletes a type, and gives rights on it', async () => {
    const { page, server } = person();
    const admin = server.as('admin', 'admin');
    await admin.post('/SchemaNode', { name: 'Draft', summary: 'x'.repeat(10_000) });
    await admin.post('/User', { name: 'reader', password: 'a reader' });
    await person().logIn();
    await person().goTo('schema/types/Draft/grants');
    await page.getByText('Nobody has rights by the type.').waitFor();
    await page.getByRole('combobox', { name: 'User or group' }).fill('reader');
    await page.getByRole('option', { name: /reader/ }).click();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('checkbox', { name: 'Write: reader' }).check();
    await expect
      .poll(async () => ((await admin.get('/SchemaGrant/all')).body as { result: object[] }).result)
      .toMatchObject([{ allowRead: true, allowWrite: true, allowDelete: false }]);
    expect(await violations(page)).toEqual([]);
    await person().picture('schema-grants');

    await tab(page, 'Settings');
    await page.getByRole('checkbox', { name: 'visible to everybody who is logged in' }).check();
    await page.getByRole('checkbox', { name: 'in the OpenAPI document' }).check();
    await page.getByLabel('Tags').fill('shop, work');
    await page.getByLabel('Name', { exact: true }).fill('Paper');
    await page.getByText('Objects that are there keep the old name').waitFor();
    expect(await violations(page)).toEqual([]);
    await person().picture('schema-settings');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 2, name: 'Paper' }).waitFor();
    expect(await named(server, 'SchemaNode', 'Paper')).toMatchObject({
      tags: ['shop', 'work'],
      defaultVisibleToAuth: true,
      includeInOpenAPI: true,
    });
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByLabel('Find a type').fill('Paper');
    await page.getByText('No type fits.').waitFor();
    expect((await admin.get('/Paper')).status).toBe(404);
    await page.getByLabel('Find a type').fill('User');
    await page.getByLabel('built-in types too').check();
    await page.getByRole('link', { name: 'User', exact: true }).click();
    await addProperty(page, 'nickname', 'String');
    expect(await named(server, 'SchemaProperty', 'nickname')).toMatchObject({ staticSchemaNodeName: 'User' });
  });

  it('draws the types, keeps where they lie, and makes relations by hand', async () => {
    const { page, server } = person();
    const admin = server.as('admin', 'admin');
    await admin.post('/SchemaNode', [
      { name: 'Shop', schemaProperties: [{ name: 'street', propertyType: 'String' }] },
      { name: 'Item' },
      { name: 'Book', inheritedTraits: ['Item'] },
    ]);
    await person().logIn();
    await person().goTo('schema/diagram');
    const box = (name: string): Locator => page.locator(`.react-flow__node[data-id="${name}"]`);
    await box('Shop').getByText('street').waitFor();
    await box('Book').getByText('← Item').waitFor();
    expect(await page.locator('.react-flow__edge.inherits').count()).toBeGreaterThan(0);
    await box('Shop').locator('.react-flow__handle.end').nth(1).dragTo(box('Item'));
    const form = dialog(page);
    await form.getByLabel('Type of the relationship').fill('SELLS');
    expect(await form.getByLabel('Type of the source').inputValue()).toBe('Shop');
    expect(await form.getByLabel('Type of the target').inputValue()).toBe('Item');
    await form.getByLabel('Property of the source that shows targets').fill('items');
    await form.getByLabel('Deleting along').selectOption({ label: 'deletes the targets with the source' });
    await form.getByLabel('Creating along').selectOption({ label: 'creates targets through the source' });
    await form.getByLabel('Rights hold').selectOption({ label: 'from source to target' });
    await form.getByLabel('Read', { exact: true }).selectOption('Add');
    expect(await violations(page)).toEqual([]);
    await person().picture('schema-relation');
    await form.getByRole('button', { name: 'Create' }).click();
    await page.locator('.react-flow__edge.propagating').waitFor();
    expect(await named(server, 'SchemaRelationshipNode', 'ShopSELLSItem')).toMatchObject({
      ...{ sourceMultiplicity: '1', targetMultiplicity: '*', targetJsonName: 'items' },
      ...{ cascadingDeleteFlag: 1, autocreationFlag: 1, permissionPropagation: 'Out', readPropagation: 'Add' },
    });
    expect(await violations(page)).toEqual([]);
    // Lines beside each other, and one from a type to itself.
    const idOf = async (name: string): Promise<unknown> => (await named(server, 'SchemaNode', name))['id'];
    const [shop, item] = [await idOf('Shop'), await idOf('Item')];
    await admin.post('/SchemaRelationshipNode', [
      { sourceId: shop, targetId: item, relationshipType: 'LENDS' },
      { sourceId: item, targetId: item, relationshipType: 'PART_OF' },
    ]);
    await page.reload();
    const lines = page
      .locator('.react-flow__edge.relation')
      .filter({ hasText: /SELLS|LENDS|PART_OF/ })
      .locator('.react-flow__edge-path');
    await expect.poll(() => lines.count()).toBe(3);
    const paths = await lines.evaluateAll((all) => all.map((one) => one.getAttribute('d')));
    expect(new Set(paths).size).toBe(3);
    await person().picture('schema-diagram');

    // A type that is moved stays where it was put.
    await box('Book').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Open Book' }).waitFor();
    const before = await box('Book').getAttribute('style');
    await page.keyboard.press('Shift+ArrowDown');
    await expect.poll(() => box('Book').getAttribute('style')).not.toBe(before);
    const moved = /translate\([^)]*\)/.exec((await box('Book').getAttribute('style')) ?? '')?.[0];
    await page.getByRole('button', { name: /Layouts/ }).click();
    await page.getByLabel('Save this layout as').fill('mine');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'mine', exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.reload();
    await box('Book').waitFor();
    expect(await box('Book').getAttribute('style')).toContain(moved);
    await page.getByRole('button', { name: 'Lay out anew' }).click();
    await expect.poll(() => box('Book').getAttribute('style')).not.toContain(moved);
    await page.getByRole('button', { name: /Layouts/ }).click();
    await page.getByRole('button', { name: 'mine', exact: true }).click();
    await expect.poll(() => box('Book').getAttribute('style')).toContain(moved);
    await page.keyboard.press('Escape');

    await tab(page, 'Relations');
    await page.getByRole('link', { name: 'SELLS' }).click();
    await page.getByLabel('Property of the source that shows targets').fill('Goods');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('It has not the form that is needed').waitFor();
    await page.getByLabel('Property of the source that shows targets').fill('goods');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    expect((await admin.get('/_schema/Shop/all')).text).toContain('"goods"');
  });

  it('makes and restores snapshots, runs commands as jobs, and imports a schema', async () => {
    const { page, server } = person();
    const admin = server.as('admin', 'admin');
    await admin.post('/SchemaNode', { name: 'Kept', schemaProperties: [{ name: 'state', propertyType: 'String' }] });
    await admin.post('/Kept', [{ name: 'a' }, { name: 'b' }]);
    await person().logIn();
    await person().goTo('schema/snapshots');
    await page.getByText('There is no snapshot yet.').waitFor();
    await page.getByLabel('Name').fill('before');
    await page.getByRole('button', { name: 'Make a snapshot' }).click();
    await page.getByText('The snapshot before has been made.').waitFor();
    await admin.post('/SchemaNode', { name: 'Later' });
    await page.getByRole('button', { name: 'Restore: before' }).click();
    await page.getByText('Differences to the present schema: 1').waitFor();
    expect(await violations(page)).toEqual([]);
    await person().picture('schema-snapshots');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Restore' }).click();
    await page.getByText('The schema is that of the snapshot before again.').waitFor();
    expect((await admin.get('/Later')).status).toBe(404);
    await page.getByRole('button', { name: 'Delete: before' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('There is no snapshot yet.').waitFor();

    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export' }).click(),
    ]);
    await admin.post('/SchemaNode', { name: 'Later' });
    await page.getByLabel('File with a schema').setInputFiles(await file.path());
    await page.getByRole('alertdialog').getByRole('button', { name: 'Replace the schema' }).click();
    await page.getByText('The schema has been replaced.').waitFor();
    expect((await admin.get('/Later')).status).toBe(404);

    await tab(page, 'Administration');
    const command = async (name: string): Promise<void> => {
      await page.getByRole('button', { name: 'Admin ▾' }).click();
      await page.getByRole('menuitem', { name, exact: true }).first().click();
    };
    await command('Rebuild all indexes');
    await dialog(page).getByRole('button', { name: 'Run' }).click();
    await person().row('Rebuild all indexes').getByText('FINISHED').waitFor();
    await command('Set properties');
    await dialog(page).getByLabel('Type *').selectOption('Kept');
    await dialog(page).getByLabel('Values, as a JSON object').fill('{"state": ');
    await dialog(page).getByText('The values are to be one JSON object.').waitFor();
    await dialog(page).getByLabel('Values, as a JSON object').fill('{"state": "open"}');
    expect(await violations(page)).toEqual([]);
    await dialog(page).getByRole('button', { name: 'Run' }).click();
    await dialog(page).getByRole('button', { name: 'Do it' }).click();
    await person().row('Set properties').getByText('FINISHED').waitFor();
    expect((await admin.get('/Kept?state=open')).body).toMatchObject({ result_count: 2 });
    expect(await violations(page)).toEqual([]);
    await person().picture('schema-commands');
    await command('Clear schema');
    await dialog(page).getByRole('button', { name: 'Run' }).click();
    await dialog(page).getByRole('button', { name: 'Do it' }).click();
    await page.getByText('Done: Clear schema.').waitFor();
    expect((await admin.get('/Kept')).status).toBe(404);
  });

  it('says a clear word to who may not see the schema, and speaks German', async () => {
    const { page, server } = person();
    await server.as('admin', 'admin').post('/User', { name: 'guest', password: 'a guest' });
    await person().logIn('guest', 'a guest');
    await person().open('Schema');
    await page.getByText('Your user may not see this.').first().waitFor();
    expect(await page.getByRole('tab').count()).toBe(0);
    await page.getByLabel('Language').selectOption('de');
    await page.getByText('Ihr Benutzer').first().waitFor();
  });
});
