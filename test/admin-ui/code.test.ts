/** All code of an application as a person finds, writes, checks and runs it (docs/interface/admin-ui.md, Code). */
import { expect, it } from 'vitest';
import { violations } from '../support/accessible.js';
import { file, uploaded } from '../support/files.js';
import type { TestServer } from '../support/server.js';
import { describeInBrowser, HOSTILE, type Person } from './person.js';

const ADD = "{\n  $.log('adds', $.args.by);\n  return $.this.points + $.args.by;\n}";

async function application(server: TestServer): Promise<void> {
  const { admin } = server;
  const note = await admin.create('SchemaNode', {
    name: 'Note',
    schemaProperties: [
      { name: 'points', propertyType: 'Integer' },
      { name: 'twice', propertyType: 'Function', readFunction: 'mult(this.points, 2)' },
    ],
    schemaMethods: [{ name: 'add', source: ADD }],
  });
  await admin.create('SchemaMethod', {
    name: 'list',
    schemaNode: note,
    isStatic: true,
    source: "{ return $.find('Note'); }",
  });
  await admin.create('SchemaMethod', {
    name: 'greet',
    source: "concat('Hello ', methodParameters.who)",
    parameters: [{ name: 'who', parameterType: 'String', index: 0 }],
  });
  await admin.create('Note', { name: 'first', points: 3 });
  await admin.create('MailTemplate', { name: 'welcome', locale: 'en', text: `Hello \${me.name}, ${HOSTILE}` });
  const page = await admin.create('Page', { name: 'start' });
  const html = await admin.create('DOMElement', { tag: 'html', name: 'html' });
  await admin.put(`/Page/${page}`, { children: [html] });
  await admin.create('Template', {
    name: 'layout',
    content: '<main>${render(children)}</main>',
    contentType: 'text/html',
    ownerDocument: page,
  });
  await admin.create('DOMElement', {
    tag: 'ul',
    name: HOSTILE,
    functionQuery: "find('Note', sort('name'))",
    ownerDocument: page,
  });
  const button = await admin.create('Button', {
    ...{ tag: 'button', ownerDocument: page, name: 'close', _html_class: 'wide ${me.name}', _html_value: 'plain' },
  });
  const action = await admin.create('ActionMapping', {
    ...{ event: 'click', action: 'method', method: 'add', idExpression: '${first(find("Note")).id}' },
    triggerElements: [button],
  });
  await admin.create('ParameterMapping', {
    ...{ actionMapping: action, parameterName: 'by', parameterType: 'script-expression', scriptExpression: '2 + 5' },
  });
  const template = await uploaded(admin, file('feed.xml', '<rss>${now}</rss>'), {});
  await admin.put(`/File/${template}`, { isTemplate: true });
  await admin.create('User', { name: 'guest', password: 'a guest' });
}

class Code {
  constructor(private readonly person: Person) {}

  get editor() {
    return this.person.page.getByRole('textbox', { name: /^Code of / });
  }

  item(name: string) {
    return this.person.page.getByRole('tree', { name: 'All code' }).getByRole('treeitem', { name, exact: true });
  }

  get run() {
    return this.person.page.getByRole('region', { name: 'Run', exact: true });
  }

  /** Replaces what is there: text that is typed over other text is for the browser to style, which the policy refuses. */
  async write(text: string): Promise<void> {
    await this.editor.press('Control+a');
    await this.editor.press('Delete');
    await this.editor.fill(text);
  }

  async says(text: string): Promise<void> {
    await expect.poll(() => this.editor.innerText()).toContain(text);
  }
}

describeInBrowser('code in a browser', application, (person) => {
  it('shows all code in one tree, finds texts in it, and shows what a function does', async () => {
    const { page } = person();
    await person().logIn();
    await person().open('Code');
    const code = new Code(person());
    await code.item('greet').click();
    await code.says("concat('Hello '");
    await code.item('Note').click();
    await code.item('twice read').click();
    await code.says('mult(this.points, 2)');
    await code.editor.press('Control+Home');
    const documentation = page.getByRole('region', { name: 'Documentation' });
    await documentation.getByText('mult(', { exact: false }).first().waitFor();
    await code.item('Templates').click();
    await code.item('layout start').click();
    await code.says('render(children)');
    await code.item('Pages').click();
    await code.item('start').click();
    await code.item(`${HOSTILE} function query`).click();
    await code.says("find('Note'");
    await code.item('close class attribute').click();
    await code.says('wide ${me.name}');
    await code.item('close idExpression action').click();
    await code.says('first(find("Note"))');
    await code.item('close by parameter').click();
    await code.says('2 + 5');
    expect(await code.item('close value attribute').count()).toBe(0);
    await code.item('Mail templates').click();
    await code.item('welcome en').click();
    await code.says(HOSTILE);
    await page.getByRole('heading', { name: 'welcome (en)' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await person().picture('code-tree');

    const search = page.getByRole('searchbox', { name: 'Search in all code' });
    await search.fill("find('Note', sort(");
    await page.getByText('Found in 1 places').waitFor();
    await search.fill('NOTE');
    await page.getByText('Found in 3 places').waitFor();
    await person().picture('code-search');
    await page.getByRole('link', { name: /^Note.list/ }).click();
    await code.says("return $.find('Note')");
    await search.fill('wide ${me');
    await page.getByRole('link', { name: /^close/ }).waitFor();
    await search.fill('nobody has written this');
    await page.getByText('No code has this text.').waitFor();
    await search.fill(';');
    await page.getByText('No code has this text.').waitFor();
    await search.fill('');
    await code.item('Files that are templates').click();
    await page.getByRole('treeitem', { name: /^feed.xml/ }).click();
    await page.getByLabel('Text of feed.xml').getByText('<rss>').waitFor();
  });

  it('creates, writes, checks, runs and deletes methods', async () => {
    const { page } = person();
    await person().logIn();
    await person().goTo('code');
    const code = new Code(person());
    await page.getByRole('button', { name: 'New method' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('not a name');
    await dialog.getByLabel('Belongs to').selectOption('Note');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByRole('alert').first().waitFor();
    await dialog.getByLabel('Name').fill('raise');
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Create' }).click();
    await code.says('return null;');

    // What cannot be read is said at its line before anybody runs it.
    await code.write('{\n  const = 1;\n}');
    await page.getByText(/^Line 2: /).waitFor();
    await page.locator('.cm-lint-marker-error').waitFor();
    await code.write("{\n  $.log('raises', $.this.name);\n  $.this.");
    await code.editor.press('Control+End');
    await code.editor.pressSequentially('poi');
    await page.getByRole('option', { name: /^points/ }).click();
    await code.editor.pressSequentially(' += $.args.by;\n  return $.this.points;\n}');
    await page.getByText('not saved').waitFor();

    // Going elsewhere loses nothing.
    await code.item('greet').click();
    await code.says('concat');
    await page.goBack();
    await code.says('raises');

    await code.run.getByRole('combobox', { name: 'On which Note' }).fill('first');
    await page.getByRole('option', { name: 'first' }).click();
    await code.run.getByLabel('Arguments, as JSON').fill('{ "by": 4 }');
    await code.run.getByRole('button', { name: 'Save and run' }).click();
    await code.run.getByText('7', { exact: true }).waitFor();
    await code.run.getByText('raisesfirst').waitFor();
    await code.run.getByText(/^[\d.,]+ ms$/).waitFor();
    await person().picture('code-run');
    expect(await violations(page)).toEqual([]);

    await code.write('{\n  const nothing = null;\n  return nothing.at.all;\n}');
    await code.run.getByRole('button', { name: 'Save and run' }).click();
    await code.run.getByRole('alert').getByText('Line 3, column').waitFor();
    await page.getByText(/^Line 3: TypeError/).waitFor();
    await person().picture('code-fault');

    // How it is called, beside its source.
    await page.getByText('How it is called', { exact: true }).click();
    const settings = page.locator('details.method-settings');
    await settings.getByLabel('HTTP method').selectOption('PUT');
    await settings.getByRole('button', { name: 'Add a parameter' }).click();
    await settings.getByRole('group', { name: 'Parameter 1' }).getByLabel('Name').fill('by');
    await settings.getByRole('group', { name: 'Parameter 1' }).getByLabel('Type').fill('Integer');
    await settings.getByLabel('Name', { exact: true }).first().fill('no name');
    await settings.getByRole('button', { name: 'Save how it is called' }).click();
    await settings.locator('[aria-invalid=true]').first().waitFor();
    await settings.getByLabel('Name', { exact: true }).first().fill('lift');
    await settings.getByRole('button', { name: 'Save how it is called' }).click();
    await settings.getByText('Saved.').waitFor();
    await code.item('lift').waitFor();
    await page.getByRole('heading', { name: 'Note.lift' }).waitFor();
    await code.run.getByLabel('by (Integer)').waitFor();
    await code.says('nothing.at.all');
    expect(await violations(page)).toEqual([]);
    await person().picture('code-settings');
    const lift = (await person().server.admin.get('/SchemaMethod/all?name=lift')).body;
    expect(lift).toMatchObject({ result: [{ httpVerb: 'PUT', parameters: [{ name: 'by' }] }] });
    await person().server.admin.put(`/SchemaMethod/${(lift as { result: { id: string }[] }).result[0]?.id ?? ''}`, {
      isStatic: true,
      httpVerb: 'DELETE',
    });
    await settings.getByLabel('HTTP method').selectOption('GET');
    await settings.getByLabel('the answer is the value alone').check();
    await settings.getByRole('button', { name: 'Save how it is called' }).click();
    await settings.getByText('Somebody else has changed HTTP method meanwhile, to: DELETE').waitFor();
    expect(await settings.getByLabel('static: without an object').isChecked()).toBe(true);
    expect(await settings.getByLabel('HTTP method').inputValue()).toBe('GET');
    await settings.getByRole('button', { name: 'Save how it is called' }).click();
    await settings.getByText('Saved.').waitFor();
    expect((await person().server.admin.get('/SchemaMethod/all?name=lift')).body).toMatchObject({
      result: [{ httpVerb: 'GET', isStatic: true, returnRawResult: true, parameters: [{ name: 'by' }] }],
    });

    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Choose something in the tree').waitFor();
    const { body } = await person().server.admin.get('/SchemaMethod?name=lift');
    expect(body).toMatchObject({ result_count: 0 });
  });

  it('runs functions with declared parameters, and tells that somebody else has saved', async () => {
    const { page, server } = person();
    await person().logIn();
    await person().goTo('code');
    const code = new Code(person());
    await code.item('greet').click();
    await code.run.getByLabel('who (String)').fill('Anna');
    await code.run.getByLabel('who (String)').press('Enter');
    await code.run.getByText('Hello Anna').waitFor();

    await code.write("concat('Mine ', methodParameters.who)");
    const found = await server.admin.get('/SchemaMethod?name=greet');
    const id = (found.body as { result: { id: string }[] }).result[0]?.id ?? '';
    await server.admin.put(`/SchemaMethod/${id}`, { source: "concat('Theirs ', methodParameters.who)" });
    await code.editor.press('Control+s');
    const alert = page.getByRole('alert').filter({ hasText: 'Somebody else has saved another text meanwhile' });
    await alert.getByText("concat('Theirs '").waitFor();
    await person().picture('code-conflict');
    await code.says('Mine');
    await alert.getByRole('button', { name: 'Replace it by mine' }).click();
    await alert.waitFor({ state: 'detached' });
    const saved = await server.admin.get(`/SchemaMethod/${id}/all`);
    expect(saved.body).toMatchObject({ result: { source: "concat('Mine ', methodParameters.who)" } });

    // What is typed while it is saved stays, also where something else is looked at.
    const source = async (): Promise<unknown> => (await server.admin.get(`/SchemaMethod/${id}/all`)).body;
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route(`**/rest/SchemaMethod/${id}`, async (route) => {
      await held;
      await route.continue();
    });
    await code.write("'sent'");
    const sent = page.waitForRequest((request) => request.method() === 'PUT');
    await code.editor.press('Control+s');
    await sent;
    await code.write("'typed meanwhile'");
    const isWritten = page.waitForResponse((response) => response.request().method() === 'PUT');
    release();
    await isWritten;
    const save = page.getByRole('button', { name: 'Save', exact: true });
    await expect.poll(() => save.isEnabled()).toBe(true);
    expect(await source()).toMatchObject({ result: { source: "'sent'" } });
    await code.says('typed meanwhile');
    await code.item('Note').click();
    await code.item('twice read').click();
    await code.says('mult(this.points, 2)');
    await code.item('greet').click();
    await code.says('typed meanwhile');
    await save.click();
    await expect.poll(source).toMatchObject({ result: { source: "'typed meanwhile'" } });

    // It is on the screen although there is nothing to write it into.
    await code.write("'nowhere'");
    await server.admin.delete(`/SchemaMethod/${id}`);
    await save.click();
    await page.getByText('It is not there any more').first().waitFor();
    await code.says('nowhere');
  });

  it('tells who may not see code so', async () => {
    const { page } = person();
    await person().logIn('guest', 'a guest');
    await person().open('Code');
    await page.getByText('Your user may not see this.').first().waitFor();
    await page.getByLabel('Language', { exact: true }).selectOption('de');
    await page.getByRole('button', { name: 'Neue Methode' }).waitFor();
  });
});
