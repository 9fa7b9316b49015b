/** The console as a person uses it: lines of all languages, their results, the history (docs/interface/admin-ui.md, Console). */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { violations } from '../support/accessible.js';
import type { TestServer } from '../support/server.js';
import { describeInBrowser, HOSTILE, type Person } from './person.js';

async function towns(server: TestServer): Promise<void> {
  const admin = server.as('admin', 'admin');
  await admin.post('/SchemaNode', {
    name: 'Town',
    schemaProperties: [{ name: 'population', propertyType: 'Integer' }],
    schemaViews: [{ name: 'ui', nonGraphProperties: 'id, type, name, population' }],
  });
  const some = Array.from({ length: 60 }, (_, i) => ({ name: `Town ${String(i).padStart(2, '0')}`, population: i }));
  await admin.post('/Town', [
    ...some,
    { name: HOSTILE, population: 100 },
    { name: `‮${'x'.repeat(10_000)}`, population: 101 },
  ]);
  await admin.post('/User', { name: 'guest', password: 'a guest' });
}

class Console {
  constructor(private readonly person: Person) {}

  get input() {
    return this.person.page.getByRole('textbox', { name: 'Line', exact: true });
  }

  /** The newest result. */
  get newest() {
    return this.person.page.getByRole('region', { name: 'Results', exact: true }).getByRole('listitem').first();
  }

  async choose(mode: string): Promise<void> {
    await this.person.page.getByRole('radio', { name: mode, exact: true }).check({ force: true });
  }

  /** Replaces what is there: text that is typed over other text is for the browser to style, which the policy refuses. */
  async write(line: string): Promise<void> {
    await this.input.press('Control+a');
    await this.input.press('Delete');
    await this.input.fill(line);
  }

  async run(line: string): Promise<void> {
    await this.write(line);
    await this.input.press('Escape');
    await this.input.press('Enter');
    await this.newest
      .getByText(line.split('\n')[0] ?? '')
      .first()
      .waitFor();
    await this.newest.getByText('Running').waitFor({ state: 'detached' });
  }
}

describeInBrowser('the console in a browser', towns, (person) => {
  it('runs expressions and JavaScript, shows tables, text, logs and faults, and keeps a history', async () => {
    const { page } = person();
    await person().logIn();
    await person().open('Console');
    const console = new Console(person());
    await console.run("find('Town', sort('population', true))");
    const table = console.newest.getByRole('table');
    await table.getByRole('columnheader', { name: 'population' }).waitFor();
    expect(await table.getByRole('row').count()).toBe(51);
    await table.getByText(HOSTILE).waitFor();
    await console.newest.getByRole('button', { name: 'Show 12 more' }).click();
    expect(await table.getByRole('row').count()).toBe(63);
    await expect.poll(() => console.input.textContent()).toBe('');
    expect(await violations(page)).toEqual([]);
    await person().picture('console-table');
    await console.newest.getByRole('button', { name: 'JSON' }).click();
    await console.newest.getByText('"population": 101').waitFor();

    await console.run("concat('Hello ', me.name)");
    await console.newest.getByText('Hello admin').waitFor();
    await console.newest.getByText(/^[\d.,]+ ms$/).waitFor();
    await console.run("upper('a'");
    await console.newest.getByRole('alert').getByText('Line 1, column').waitFor();
    await expect.poll(() => console.input.textContent()).toBe("upper('a'");

    await console.choose('JavaScript');
    await console.run("$.log('sums');\n$.find('Town').length + missing");
    await console.newest.getByText('Line 2, column 25').waitFor();
    await console.newest.getByText('ReferenceError: missing is not defined').waitFor();
    await console.newest.getByText('sums', { exact: true }).waitFor();
    // The fault is at its line in the editor, too.
    await page.locator('.cm-lint-marker-error').waitFor();
    await person().picture('console-fault');
    await console.run("({ one: 1, two: ['x'] })");
    await console.newest.getByText('"two": [').waitFor();

    await console.input.press('ArrowUp');
    await expect.poll(() => console.input.textContent()).toBe("({ one: 1, two: ['x'] })");
    await page.reload();
    // A key that comes while the page is still being made is lost.
    const back = async (): Promise<string | null> => {
      if ((await console.input.textContent()) === '') await console.input.press('ArrowUp');
      return console.input.textContent();
    };
    await expect.poll(back).toBe("({ one: 1, two: ['x'] })");
    await console.input.press('ArrowUp');
    await expect.poll(() => console.input.textContent()).toContain('missing');
    await console.input.press('Control+Home');
    await console.input.press('ArrowUp');
    await expect.poll(() => page.getByRole('radio', { name: 'Expression' }).isChecked()).toBe(true);
    await expect.poll(() => console.input.textContent()).toBe("upper('a'");
    await page.getByRole('button', { name: 'Forget the history' }).click();
  });

  it('offers functions and keys, and shows what a function does', async () => {
    const { page } = person();
    await person().logIn();
    await person().goTo('console');
    const console = new Console(person());
    await console.choose('Expression');
    await console.input.pressSequentially('strRepl');
    await page.getByRole('option', { name: /^strReplace/ }).waitFor();
    await person().picture('console-completion');
    await page.getByRole('option', { name: /^strReplace/ }).click();
    await console.input.pressSequentially("('a");
    const documentation = page.getByRole('region', { name: 'Documentation' });
    await documentation.getByText('strReplace(text', { exact: false }).first().waitFor();
    await console.write('');
    await console.input.pressSequentially("first(find('Town')).pop");
    await page.getByRole('option', { name: /^population/ }).click();
    await expect.poll(() => console.input.textContent()).toBe("first(find('Town')).population");
  });

  it('speaks REST, Cypher where there is some, and the commands of the AdminShell', async () => {
    const { server, page } = person();
    await person().logIn();
    await person().goTo('console');
    const console = new Console(person());
    await console.choose('REST');
    await console.run('POST /Town {"name": "Brest", "population": 7}');
    await console.newest.getByText('201 Created').waitFor();
    await console.run('GET /Town/ui?name=Brest');
    await console.newest.getByRole('cell', { name: 'Brest' }).waitFor();
    await console.newest.getByText('1 in all').waitFor();
    await console.run('GET /NoSuchType');
    await console.newest.getByText('404 Not Found').waitFor();
    await console.run('GET /../config');
    await console.newest.getByText('a path below /svc/rest').waitFor();
    await console.run('POST /Town {name}');
    await console.newest.getByText('stands JSON').waitFor();

    await console.choose('Cypher');
    await console.run('MATCH (n:Town) RETURN n LIMIT 1');
    await console.newest.getByText('the embedded one does not speak Cypher').waitFor();

    await console.choose('AdminShell');
    await console.run('help');
    await console.newest.getByText('file-import <source> <target>').waitFor();
    await person().picture('console-shell');
    await console.run('frobnicate');
    await console.newest.getByText('There is no command “frobnicate”').waitFor();
    await console.run('export');
    await console.newest.getByText('export <target>').waitFor();
    const target = join(server.folder, 'exchange', 'an application');
    await console.run(`export "${target}"`);
    await console.newest.getByText('Done.').waitFor();
    await console.run(`export-data '${join(server.folder, 'towns')}' Town`);
    await console.newest.getByText('Done.').waitFor();
    await console.run('file-import /etc/passwd /');
    await console.newest.getByRole('alert').getByText('application.filesystem.import.roots').waitFor();
    await console.run('import /no/such/folder');
    await console.newest.getByRole('alert').waitFor();
    await console.run(`file-import "${target}" / copy skip false`);
    await console.newest.getByText('Done.').waitFor();
    await console.run('init');
    await console.newest.getByText('index, ids or labels').waitFor();
    await console.run('init index node');
    await console.newest.getByText('“node” stands before').waitFor();
    await console.run('init rel labels');
    await console.newest.getByText('Relationships have no labels.').waitFor();
    await console.run('init node index for');
    await console.newest.getByText('Behind “for” stands a type.').waitFor();
    for (const line of ['init index', 'init rel index', 'init ids', 'init rel ids']) {
      await console.run(line);
      await console.newest.getByText('Done.').waitFor();
    }
    await console.run('init labels for Town');
    await console.newest.getByText('Done.').waitFor();
    await console.run('init index for NoSuchType');
    await console.newest.getByRole('alert').getByText('NoSuchType').waitFor();

    await console.run('user add carla carla@example.org isAdmin');
    await console.newest.getByText('The user has been made.').waitFor();
    await console.run('user list');
    await console.newest.getByText('admin, carla, guest').waitFor();
    await console.write('user password carla "a secret word"');
    await console.input.press('Enter');
    await console.newest.getByText('The password has been changed.').waitFor();
    expect(await page.content()).not.toContain('a secret word');
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain('a secret word');
    const carla = server.as('carla', 'a secret word');
    expect((await carla.post('/Town', { name: 'Of Carla' })).status).toBe(201);
    // Signs of a search are signs of a name here: nobody else is hit.
    for (const nobody of ['x;admin', 'carla;x']) {
      await console.run(`user delete "${nobody}"`);
      await console.newest.getByText(`There is no user “${nobody}”.`).waitFor();
    }
    expect((await carla.get('/me')).status).toBe(200);
    expect((await server.admin.get('/me')).status).toBe(200);
    await console.run('user add "x;carla"');
    await console.newest.getByText('The user has been made.').waitFor();
    await console.run('user delete "x;carla"');
    await console.newest.getByText('The user has been deleted.').waitFor();
    await console.run('user list');
    await console.newest.getByText('admin, carla, guest').waitFor();
    await console.run('user delete carla');
    const asked = await console.newest.getByText('This user owns one object').textContent();
    await console.run(asked?.slice(asked.indexOf('user delete')) ?? '');
    await console.newest.getByText('The user has been deleted.').waitFor();
    await console.run('user delete carla');
    await console.newest.getByText('There is no user “carla”.').waitFor();
    await console.run('user remove carla');
    await console.newest.getByText('It is used like this: user list').waitFor();
    expect(await violations(page)).toEqual([]);
    const { body } = await server.as('admin', 'admin').get('/File?name=schema.json');
    expect(body).toMatchObject({ result: expect.any(Array) as unknown });
  });

  it('tells who is no administrator that it is not for him', async () => {
    const { page } = person();
    await person().logIn('guest', 'a guest');
    await person().open('Console');
    const console = new Console(person());
    // Others may use REST, as far as their permissions go.
    expect(await page.getByRole('radio', { name: 'REST' }).isChecked()).toBe(true);
    await console.run('GET /Town');
    await console.newest.getByText('401 Unauthorized').waitFor();
    await console.choose('Expression');
    await console.run('1');
    await console.newest.getByText('Your user may not see this.').waitFor();
    await page.getByLabel('Language', { exact: true }).selectOption('de');
    await page.getByRole('heading', { level: 1, name: 'Konsole' }).waitFor();
  });
});
