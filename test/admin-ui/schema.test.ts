/** The area Schema of the Admin UI as a person uses it, in Chromium. */
import { expect, it } from 'vitest';
import { violations } from '../support/accessible.js';
import { describeInBrowser, HOSTILE } from './person.js';

const nothing = (): Promise<void> => Promise.resolve();

describeInBrowser('the area Schema', nothing, (person) => {
  it('defines types and properties, and shows refusals at the field', async () => {
    const { page, server } = person();
    const admin = server.as('admin', 'admin');
    const dialog = page.getByRole('dialog');
    await person().logIn();
    await person().open('Schema');
    await page.getByText('There is no type of your own yet.').waitFor();
    await page.getByRole('button', { name: 'New type' }).click();
    await dialog.getByLabel('Name', { exact: true }).fill('project');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('It has not the form that is needed.').waitFor();
    expect(await dialog.getByLabel('Name', { exact: true }).getAttribute('aria-invalid')).toBe('true');
    expect(await violations(page)).toEqual([]);
    await person().picture('schema-refused');
    await dialog.getByLabel('Name', { exact: true }).fill('Project');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 2, name: 'Project' }).waitFor();
    expect((await admin.get('/Project')).status).toBe(200);
  });
});
void HOSTILE;
