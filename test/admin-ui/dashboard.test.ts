/** The dashboard as a person uses it: deployments with their logs, services, what is told of long work in any area, the initial password. */
import { readFile, stat } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { violations } from '../support/accessible.js';
import type { TestServer } from '../support/server.js';
import { describeInBrowser } from './person.js';

async function prepare(server: TestServer): Promise<void> {
  const { admin } = server;
  await admin.post('/SchemaNode', {
    name: 'Town',
    schemaProperties: [{ name: 'population', propertyType: 'Integer' }],
  });
  await admin.post('/Town', [{ name: 'Brest', population: 7 }, { name: 'Nantes' }]);
}

const settings = {
  'application.instance.name': 'shop',
  'maintenance.application.http.port': '0',
  'oauth.github.client_id': 'ours',
  'oauth.github.client_secret': 'a secret of ours',
};

/** Serves one file at any address. */
async function serving(content: Buffer): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer((_, response) => response.setHeader('Content-Type', 'application/zip').end(content));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/shop.zip`, server };
}

describeInBrowser(
  'the dashboard of the Admin UI in a browser',
  prepare,
  (person) => {
    it('exports and imports applications and data, with progress and the log of each run', async () => {
      const { page, server } = person();
      await person().logIn();
      const exporting = page
        .locator('form')
        .filter({ has: page.getByRole('heading', { name: 'Export', exact: true }) });
      const importing = page
        .locator('form')
        .filter({ has: page.getByRole('heading', { name: 'Import', exact: true }) });
      const folder = join(server.folder, 'deployment', 'shop');
      // Into a folder of the server.
      await exporting.getByLabel('To').selectOption('server');
      await exporting.getByLabel('Absolute path').fill(folder);
      await exporting.getByRole('button', { name: 'Export', exact: true }).click();
      await exporting.getByText(`The export is there: ${folder}`).waitFor();
      expect((await stat(join(folder, 'schema'))).isDirectory()).toBe(true);
      expect(await exporting.getByRole('log').locator('.line').count()).toBeGreaterThan(5);
      // A place that is not permitted.
      await exporting.getByLabel('Absolute path').fill('/proc/nowhere');
      await exporting.getByRole('button', { name: 'Export', exact: true }).click();
      await exporting.getByRole('alert').waitFor();
      // As an archive, and back.
      await exporting.getByLabel('To').selectOption('file');
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        exporting.getByRole('button', { name: 'Download ZIP' }).click(),
      ]);
      await exporting.getByText('The archive is with your browser: application.zip').waitFor();
      expect(download.suggestedFilename()).toBe('application.zip');
      const archive = await readFile(await download.path());
      await importing
        .getByLabel('File')
        .setInputFiles({ name: 'shop.zip', mimeType: 'application/zip', buffer: archive });
      await importing.getByRole('button', { name: 'Import' }).click();
      await importing.getByText('The import has ended well.').waitFor();
      await importing.getByText('done', { exact: true }).waitFor();
      expect(await violations(page)).toEqual([]);
      await person().picture('dashboard-deployment');
      // From a folder of the server.
      await importing.getByLabel('From').selectOption('server');
      await importing.getByLabel('Absolute path').fill(folder);
      await importing.getByRole('button', { name: 'Import' }).click();
      await importing.getByText('The import has ended well.').waitFor();
      expect(await importing.getByRole('log').locator('.line').count()).toBeGreaterThan(5);
      expect((await server.admin.get('/Town')).body).toMatchObject({ result_count: 2 });
      // One that is refused looks refused, and nothing says that it went well.
      await importing.getByLabel('Absolute path').fill(join(server.folder, 'nothing here'));
      await importing.getByRole('button', { name: 'Import' }).click();
      await importing.getByRole('alert').waitFor();
      expect(await importing.getByText('The import has ended well.').count()).toBe(0);
      await person().picture('dashboard-refused');
      await importing.getByLabel('From').selectOption('file');
      // What is no export.
      await importing
        .getByLabel('File')
        .setInputFiles({ name: 'none.zip', mimeType: 'application/zip', buffer: Buffer.from('no archive') });
      await importing.getByRole('button', { name: 'Import' }).click();
      await importing.getByRole('alert').waitFor();
      // From an address.
      const other = await serving(archive);
      try {
        await importing.getByLabel('From').selectOption('url');
        await importing.getByLabel('Address of the ZIP file').fill(other.url);
        await importing.getByLabel('Add to the application').check();
        await importing.getByRole('button', { name: 'Import' }).click();
        await importing.getByText('The import has ended well.').waitFor();
      } finally {
        other.server.close();
      }
      // Data, by a folder of the server.
      const data = join(server.folder, 'deployment', 'data');
      await exporting.getByLabel('What').selectOption('data');
      await exporting.getByLabel('To').selectOption('server');
      await exporting.getByLabel('Absolute path').fill(data);
      await exporting.getByLabel('Types').fill('Town');
      await exporting.getByRole('button', { name: 'Export', exact: true }).click();
      await exporting.getByText(`The export is there: ${data}`).waitFor();
      await server.admin.delete('/Town');
      await importing.getByLabel('What').selectOption('data');
      await importing.getByLabel('From').selectOption('server');
      await importing.getByLabel('Absolute path').fill(data);
      await importing.getByRole('button', { name: 'Import' }).click();
      await importing.getByText('Import of data').waitFor();
      await importing.getByText('The import has ended well.').waitFor();
      expect((await server.admin.get('/Town?name=Brest')).body).toMatchObject({ result_count: 1 });
    });

    it('tells of long work in any area, wherever it was begun', async () => {
      const { page, server } = person();
      await person().logIn();
      await page.getByText('CronService').waitFor();
      await page.getByText('Load of 1, 5 and 15 minutes').waitFor();
      await person().open('Data');
      // The page has seen what has ended before.
      await page.getByRole('button', { name: 'Nothing runs' }).waitFor();
      await server.admin.post('/maintenance/rebuildIndex', { background: true });
      await page.locator('.toast').getByText('rebuildIndex: done').waitFor();
      await server.admin.post('/maintenance/deploy', {
        mode: 'import',
        source: join(server.folder, 'deployment', 'data', 'nodes'),
        background: true,
      });
      await page.locator('.toast').getByText('Import of an application: failed').waitFor();
      await page.getByRole('button', { name: 'Nothing runs' }).click();
      await page.getByRole('dialog', { name: 'Work in the background' }).getByText('rebuildIndex').waitFor();
      expect(await violations(page)).toEqual([]);
      await person().picture('notices');
      await page.getByRole('link', { name: 'All on the dashboard' }).click();
      await page.getByText('Log: Import of an application').first().click();
      await page.getByText('Deployment Import not started').first().waitFor();
    });

    it('filters the log by level and text, holds it, and turns maintenance on and off', async () => {
      const { page, server } = person();
      await person().logIn();
      const lines = page.getByRole('log', { name: 'Server log' });
      await lines.locator('.line.info').first().waitFor();
      await page.getByLabel('Level').selectOption('WARN');
      await lines.locator('.line.info').first().waitFor({ state: 'detached' });
      await page.getByLabel('Level').selectOption('INFO');
      await page.getByLabel('Text').fill('no line has this');
      await page.getByText('No line of the log has this level and text.').waitFor();
      await page.getByLabel('Text').fill('');
      await page.getByRole('button', { name: 'Hold' }).click();
      await page.getByRole('button', { name: 'Follow' }).waitFor();
      const mode = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Maintenance mode' }) });
      await mode.getByRole('button', { name: 'Enable' }).click();
      await mode.getByText('Visitors get the maintenance page at once').waitFor();
      await mode.getByRole('alertdialog').getByRole('button', { name: 'Enable' }).click();
      // The page goes along to the other port, and back.
      await mode.getByText('Visitors see the maintenance page.').waitFor();
      expect(new URL(page.url()).port).not.toBe(new URL(server.url).port);
      expect((await fetch(`${server.url}/`)).status).toBe(503);
      await person().picture('maintenance');
      await mode.getByRole('button', { name: 'Disable' }).click();
      await page.waitForURL(`${server.url}/svc/**`);
      await mode.getByText('Visitors get pages and REST answers.').waitFor();
      expect((await fetch(`${server.url}/svc/`)).status).toBe(200);
    });

    it('offers other ways to log in, and has the initial password changed', async () => {
      const { page, server } = person();
      await page.goto(`${server.url}/svc/`);
      expect(await page.getByRole('link', { name: 'Log in with Github' }).getAttribute('href')).toBe(
        '../oauth/github/login?isBackendOAuthLogin=true',
      );
      await person().logIn();
      await page.getByText('This user still has the documented initial password.').waitFor();
      await page.getByRole('button', { name: 'Change the password' }).click();
      await page.getByLabel('New password').fill('another one of ours');
      await page.getByLabel('The same again').fill('another one of theirs');
      await page.getByText('It is another one.').waitFor();
      await page.getByLabel('The same again').fill('another one of ours');
      await page.getByRole('button', { name: 'Change the password' }).click();
      await page.getByText('This user still has the documented initial password.').waitFor({ state: 'detached' });
      expect((await server.as('admin', 'another one of ours').get('/me')).status).toBe(200);
    });
  },
  { settings },
);
