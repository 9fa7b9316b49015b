/** The area Security as a person uses it, in Chromium. */
import { expect, it } from 'vitest';
import { violations } from '../support/accessible.js';
import type { TestServer } from '../support/server.js';
import { describeInBrowser, HOSTILE } from './person.js';

async function people(server: TestServer): Promise<void> {
  const { admin } = server;
  const users = Array.from({ length: 60 }, (_, i) => ({ name: `user ${String(i).padStart(2, '0')}` }));
  await admin.post('/User', [
    ...users,
    { name: 'anna', eMail: 'anna@example.org', password: 'annas-password' },
    { name: 'guest', password: 'a guest' },
    { name: `zz ${HOSTILE}` },
    { name: `\u202Ezz ${'x'.repeat(10_000)}` },
  ]);
  await admin.post('/Group', [{ name: 'staff' }, { name: 'editors' }, { name: 'board' }]);
}

describeInBrowser('the area Security in a browser', people, (person) => {
  it('shows users and groups by pages, and puts users into groups by dragging and by keyboard', async () => {
    const { page, server } = person();
    await person().logIn();
    await person().open('Security');
    const users = page.getByRole('region', { name: 'Users' });
    const groups = page.getByRole('region', { name: 'Groups' });
    const item = (region: typeof users, name: string) => region.getByRole('listitem').filter({ hasText: name });
    await users.getByText('Page 1 of 3').waitFor();
    await users.getByRole('button', { name: 'Next' }).click();
    await users.getByText('Page 2 of 3').waitFor();
    await users.getByLabel('Find a user').fill('zz');
    await users.getByText(`zz ${HOSTILE}`).waitFor();
    await person().picture('people-hostile');
    expect(await page.title()).not.toBe('1');
    await users.getByRole('button', { name: /^.?zz x+$/ }).click();
    await page.getByRole('dialog').getByLabel('Locale').waitFor();
    expect(await violations(page, true)).toEqual([]);
    await person().picture('user-hostile');
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await users.getByLabel('Find a user').fill('anna@');
    await item(users, 'anna').waitFor();
    await item(users, 'anna').dragTo(groups.getByRole('button', { name: 'staff', exact: true }));
    await page.getByText('anna: now in staff.').waitFor();
    await groups.getByRole('list', { name: 'Members of staff' }).getByText('anna', { exact: true }).waitFor();

    // A group in a group, and several users at once, by keyboard alone.
    await groups.getByRole('button', { name: 'Put staff into a group' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByLabel('Group').fill('boar');
    await page.getByRole('option', { name: 'board' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Put in' }).click();
    await page.getByText('staff: now in board.').waitFor();
    await users.getByLabel('Find a user').fill('user 0');
    await users.getByLabel('Select user 03').check();
    await users.getByLabel('Select user 04').check();
    await users.getByRole('button', { name: 'Put into a group' }).click();
    await page.getByRole('dialog').getByLabel('Group').fill('editors');
    await page.getByRole('option', { name: 'editors' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Put in' }).click();
    await page.getByText('2 users and groups: now in editors.').waitFor();
    await groups.getByRole('button', { name: 'Members of board' }).click();
    await groups.getByRole('button', { name: 'Members of editors' }).click();
    await groups.getByText('user 04', { exact: true }).waitFor();
    await groups.getByRole('list', { name: 'Members of board' }).getByText('staff').waitFor();
    expect(await violations(page)).toEqual([]);
    await person().picture('people');
    await groups.getByRole('button', { name: 'Take user 04 out of editors' }).click();
    await page.getByText('user 04: no longer in editors.').waitFor();
    const board = (await server.admin.get('/Group?name=board')).body.result[0];
    expect(board.members.map((one: { name: string }) => one.name)).toEqual(['staff']);

    // A group in itself is refused.
    await groups.getByRole('button', { name: 'Put board into a group' }).first().click();
    await page.getByRole('dialog').getByLabel('Group').fill('staff');
    await page.getByRole('option', { name: 'staff' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Put in' }).click();
    await page.getByText('members circular reference').waitFor();
  });

  it('creates a user, changes him, resets password and second factor, ends his sessions, deletes him', async () => {
    const { page, server } = person();
    await person().logIn();
    await person().goTo('security/people');
    await page.getByRole('button', { name: 'New user' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('bert');
    await dialog.getByLabel('E-mail address').fill('no address');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('must match configured regex').first().waitFor();
    await dialog.getByLabel('E-mail address').fill('bert@example.org');
    await dialog.getByLabel('Password').fill('berts-password');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByText('bert has been created.').waitFor();
    const id = (await server.admin.get('/User?name=bert')).body.result[0].id as string;

    // Wrong passwords lock him; the page unlocks him.
    for (let i = 0; i < 4; i++) await server.as('bert', 'wrong').get('/me');
    await page.getByLabel('Find a user').fill('bert');
    await page.getByRole('button', { name: 'bert', exact: false }).first().click();
    await dialog.getByRole('tab', { name: 'Login' }).click();
    await dialog.getByRole('button', { name: 'Unlock' }).click();
    await dialog.getByRole('button', { name: 'Unlock' }).waitFor({ state: 'detached' });
    await dialog.getByRole('button', { name: 'Turn on' }).click();
    await dialog.getByText('set up at the next login').waitFor();
    await dialog.getByRole('button', { name: 'Turn off' }).click();
    await dialog.getByRole('button', { name: 'Turn on' }).waitFor();
    // He has logged in with it once, and has lost his app.
    await server.admin.put(`/User/${id}`, { isTwoFactorUser: true, twoFactorConfirmed: true });
    await page.reload();
    await dialog.getByRole('tab', { name: 'Login' }).click();
    await dialog.getByRole('button', { name: 'Set up anew' }).click();
    await dialog.getByText('set up at the next login').waitFor();
    expect((await server.admin.get(`/User/${id}/ui`)).body.result.twoFactorConfirmed).toBe(false);
    await dialog.getByRole('button', { name: 'Turn off' }).click();
    await dialog.getByRole('button', { name: 'Turn on' }).waitFor();
    await dialog.getByLabel('New password').fill('another-one');
    await dialog.getByLabel('The same again').fill('another-one');
    await dialog.getByRole('button', { name: 'Set password' }).click();
    await dialog.getByText('The password has been changed.').waitFor();
    expect(await violations(page, true)).toEqual([]);
    await person().picture('user-login');
    await server.admin.post('/ResourceAccess', { signature: '_login', flags: 64, visibleToPublicUsers: true });
    await server.as('bert', 'another-one').loggedIn();
    await dialog.getByRole('tab', { name: 'Sessions' }).click();
    await dialog.getByRole('button', { name: 'End all sessions' }).waitFor();
    await person().picture('user-sessions');
    await dialog.getByRole('button', { name: 'End the session of' }).click();
    await dialog.getByText('Not logged in anywhere.').waitFor();
    expect((await server.admin.get(`/_sessions?user=${id}`)).body.result).toEqual([]);

    // Somebody else changes the same meanwhile.
    await dialog.getByRole('tab', { name: 'User' }).click();
    await dialog.getByLabel('Name', { exact: true }).fill('Bert');
    await dialog.getByLabel('Public keys').fill('ssh-ed25519 one\nssh-ed25519 two');
    await dialog.getByRole('tab', { name: 'Groups' }).click();
    await dialog.getByText('In no group.').waitFor();
    await dialog.getByRole('tab', { name: 'User' }).click();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.getByText('What you have changed is not saved.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await server.admin.put(`/User/${id}`, { name: 'Berthold' });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Somebody else has changed name meanwhile, to: Berthold.').waitFor();
    expect(await dialog.getByLabel('Name', { exact: true }).inputValue()).toBe('Bert');
    await person().picture('user');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('heading', { name: 'Bert', exact: true }).waitFor();
    expect((await server.admin.get(`/User/${id}/all`)).body.result).toMatchObject({
      name: 'Bert',
      publicKeys: ['ssh-ed25519 one', 'ssh-ed25519 two'],
    });
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Bert has been deleted.').waitFor();
    expect((await server.admin.get(`/User/${id}`)).status).toBe(404);
  });

  it('permits what was refused with one click, ticks methods and chooses for whom a permission counts', async () => {
    const { page, server } = person();
    const anna = server.as('anna', 'annas-password');
    await person().logIn();
    expect((await anna.get('/MailTemplate')).status).toBe(401);
    expect((await server.as().get('/Folder')).status).toBe(401);
    expect((await server.as().get(`/${encodeURIComponent(`zz${HOSTILE}`)}`)).status).toBe(401);
    await person().goTo('security/endpoints');
    const refused = page.getByRole('region', { name: 'Refused last' });
    await refused.getByText('somebody who is not logged in').first().waitFor();
    await person().picture('refused');
    await refused.getByRole('button', { name: 'Permit GET to all users MailTemplate' }).click();
    await page.getByText('MailTemplate: GET is permitted.').waitFor();
    expect((await anna.get('/MailTemplate')).status).toBe(200);
    expect((await anna.post('/MailTemplate', {})).status).toBe(401);
    await refused.getByRole('button', { name: 'Do not offer Folder again' }).click();
    await refused.locator('bdi').getByText('Folder', { exact: true }).waitFor({ state: 'detached' });

    // The permission is there already: POST is added to it, and taken away by its tick.
    await refused.getByRole('button', { name: /Permit (GET|POST).* to all users MailTemplate/ }).click();
    await page.getByLabel('POST MailTemplate: users').and(page.locator(':checked')).waitFor();
    expect((await anna.post('/MailTemplate', { name: 'a' })).status).toBe(201);
    await page.getByLabel('POST MailTemplate: users').uncheck();
    await expect.poll(async () => (await anna.post('/MailTemplate', { name: 'b' })).status).toBe(401);
    await page.getByLabel('GET MailTemplate: not logged in').check();
    await page.getByText('what is ticked for those who are not logged in does not count').waitFor();
    await page.getByLabel('MailTemplate: Everybody').check();
    await expect.poll(async () => (await server.as().get('/MailTemplate')).status).toBe(200);

    // Another administrator ticks something meanwhile: it stays.
    const { id, flags } = (await server.admin.get('/ResourceAccess?signature=MailTemplate')).body.result[0];
    await server.admin.put(`/ResourceAccess/${id}`, { flags: flags | 4096 });
    await page.getByLabel('DELETE MailTemplate: users').check();
    await page.getByLabel('PATCH MailTemplate: users').and(page.locator(':checked')).waitFor();
    expect((await server.admin.get(`/ResourceAccess/${id}`)).body.result.flags).toBe(flags | 4096 | 8);

    // One that counts for a group alone.
    await page.getByRole('button', { name: 'New permission' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Signature').fill('Group');
    await dialog.getByLabel('For whom').selectOption({ label: 'Users and groups that are chosen then' });
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Group has been created.').waitFor();
    await page.getByLabel('Find a signature').fill('grou');
    await page.getByRole('button', { name: 'For whom Group counts' }).click();
    await dialog.getByLabel('User or group').fill('guest');
    await page.getByRole('option', { name: 'guest' }).click();
    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog.getByRole('list', { name: 'For whom' }).getByText('guest').waitFor();
    expect(await violations(page, true)).toEqual([]);
    await person().picture('readers');
    expect((await server.as('guest', 'a guest').get('/Group')).status).toBe(200);
    expect((await anna.get('/Group')).status).toBe(401);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByLabel('Find a signature').fill('');
    await page.getByText('MailTemplate', { exact: true }).first().waitFor();
    expect(await violations(page)).toEqual([]);
    await person().picture('endpoints');
    await page.getByRole('button', { name: 'Delete MailTemplate' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('MailTemplate has been deleted.').waitFor();
    expect((await anna.get('/MailTemplate')).status).toBe(401);
  });

  it('gives rights on types, lets other origins in, and explains why a user may do what', async () => {
    const { page, server } = person();
    const anna = server.as('anna', 'annas-password');
    const dialog = page.getByRole('dialog');
    await server.admin.post('/SchemaNode', { name: 'Town' });
    const ulm = await server.admin.create('Town', { name: `Ulm ${HOSTILE}` });
    await server.admin.post('/Group', {
      name: 'mayors',
      members: [(await server.admin.get('/User?name=anna')).body.result[0].id],
    });
    await server.admin.post('/ResourceAccess', { signature: 'Town/_id', flags: 3, visibleToAuthenticatedUsers: true });
    expect((await anna.get(`/Town/${ulm}`)).status).toBe(404);
    await person().logIn();
    await person().goTo('security/types');
    await page.getByRole('button', { name: 'New right' }).click();
    await dialog.getByLabel('User or group').fill('mayors');
    await page.getByRole('option', { name: 'mayors' }).click();
    await dialog.getByLabel('Type').selectOption('Town');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByText('mayors: Town has been created.').waitFor();
    expect((await anna.get(`/Town/${ulm}`)).status).toBe(200);
    await page.getByLabel('mayors: Town: write').check();
    await expect.poll(async () => (await anna.put(`/Town/${ulm}`, { title: 'x' })).status).toBe(200);
    expect(await violations(page, true)).toEqual([]);
    await person().picture('types');

    await page.getByRole('tab', { name: 'Why may this user' }).click();
    await page.getByRole('combobox', { name: 'Object', exact: true }).fill('Ulm');
    await page.getByRole('option', { name: 'Ulm' }).click();
    await page.getByLabel('User; empty').fill('anna');
    await page.getByRole('option', { name: 'anna' }).click();
    await page.getByRole('button', { name: 'Explain' }).click();
    const right = (name: string) => page.getByRole('region', { name, exact: true });
    await right('Read').getByText('Right on its type: mayors').waitFor();
    await right('Write').getByText('Right on its type: mayors').waitFor();
    await right('Delete').getByText('not permitted', { exact: true }).waitFor();
    await right('Delete').getByText('Owner: admin').waitFor();
    await right('Permission for the endpoint').getByText('PUT Town/_id').waitFor();
    expect(await violations(page)).toEqual([]);
    await person().picture('why');

    // Without a right the grant goes, and the explanation with it.
    await page.getByRole('tab', { name: 'Types' }).click();
    await page.getByLabel('mayors: Town: read').uncheck();
    await page.getByLabel('mayors: Town: write').uncheck();
    await page.getByText('mayors: Town has been deleted.').waitFor();
    await page.goBack();
    await right('Read').getByText('not permitted', { exact: true }).waitFor();
    expect((await anna.get(`/Town/${ulm}`)).status).toBe(404);

    await page.getByRole('tab', { name: 'Other origins' }).click();
    await page.getByRole('button', { name: 'New entry' }).click();
    await dialog.getByLabel('Accepted origins').fill('https://example.org');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('must not be empty').first().waitFor();
    await dialog.getByLabel('Path').fill('/svc/rest');
    await dialog.getByLabel('Remembered for').fill('600');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByText('/svc/rest has been created.').waitFor();
    const preflight = async (): Promise<unknown> =>
      (await fetch(`${server.url}/svc/rest/Town`, { headers: { Origin: 'https://example.org' } })).headers.get(
        'access-control-allow-origin',
      );
    expect(await preflight()).toBe('https://example.org');
    await page.getByRole('button', { name: 'Edit /svc/rest' }).click();
    await dialog.getByLabel('Accepted origins').fill('*');
    await dialog.getByLabel('Cookies are allowed').check();
    await dialog.getByText('never to those that only *').waitFor();
    expect(await violations(page, true)).toEqual([]);
    await person().picture('origin');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('/svc/rest has been saved.').waitFor();
    await person().picture('origins');
    await page.getByRole('button', { name: 'Edit /svc/rest' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('/svc/rest has been deleted.').waitFor();
    expect(await preflight()).toBeNull();
  });

  it('tells who has no rights that he has none', async () => {
    await person().logIn('guest', 'a guest');
    await person().goTo('security/people');
    await person().page.getByText('Your user may not see this.').first().waitFor();
    await person().page.getByLabel('Language').selectOption('de');
    await person().page.getByRole('tab', { name: 'Warum darf dieser Benutzer' }).waitFor();
  });
});
