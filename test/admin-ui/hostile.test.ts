/**
 * The whole Admin UI over data that somebody has written who means harm: names and values that would be HTML, scripts, links and formulas, that turn the
 * direction of what is written, or are very long. And the Admin UI of who may see nothing, or little.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, expect, it } from 'vitest';
import { violations } from '../support/accessible.js';
import type { TestServer } from '../support/server.js';
import { fields, file, upload, uploaded } from '../support/files.js';
import { describeInBrowser, HOSTILE, OpenRequests, type Person } from './person.js';

const TURNED = '\u202E\u2067turned<b onclick=alert(1)>\u0007';
const LONG = 'x'.repeat(10_000);
const LINK = 'javascript:document.title=2';
const BREAKING = '"><script>document.title=3</script><svg onload=document.title=4>';

/** Another host; what is sent to it, connections alone too, is counted. */
class Elsewhere {
  readonly #server: Server = createServer((_request, response) => response.end('<h1>elsewhere</h1>'));
  reached = 0;

  get host(): string {
    return `localhost:${String((this.#server.address() as AddressInfo).port)}`;
  }

  async open(): Promise<void> {
    this.#server.on('connection', () => this.reached++);
    await new Promise<void>((resolve) => this.#server.listen(0, 'localhost', resolve));
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

const elsewhere = new Elsewhere();
/** HTML that asks the other host in every way there is. */
const asking = (): string => {
  const at = `http://${elsewhere.host}`;
  return (
    `<link rel=stylesheet href=//${elsewhere.host}><link rel=preconnect href=${at}><link rel=prefetch href=${at}/p>` +
    `<img src="${at}/a.png"><style>@import "${at}/b.css"; p { background: url(${at}/c.png) }</style><base href="${at}/">` +
    `<meta http-equiv=refresh content="0;url=${at}/r"><iframe src="${at}/f"></iframe><object data="${at}/o"></object><video src="${at}/v"></video>`
  );
};
const values = (): string[] => [
  HOSTILE,
  TURNED,
  LONG,
  LINK,
  BREAKING,
  asking(),
  `=HYPERLINK("http://${elsewhere.host}","x")`,
];

const ids: Record<string, string> = {};

async function schema(server: TestServer): Promise<void> {
  const { admin } = server;
  // Names of types, properties and relationships are no place for it.
  expect((await admin.post('/SchemaNode', { name: HOSTILE })).status).toBe(422);
  const town = await admin.create('SchemaNode', {
    name: 'Town',
    category: HOSTILE,
    summary: HOSTILE,
    description: BREAKING,
    tags: [HOSTILE, LONG.slice(0, 300)],
    schemaProperties: [
      { name: 'note', propertyType: 'String', hint: HOSTILE, category: BREAKING, defaultValue: HOSTILE },
      { name: 'list', propertyType: 'StringArray', category: LONG.slice(0, 300) },
      { name: 'secret', propertyType: 'Password' },
      { name: 'kind', propertyType: 'Enum', format: 'city,village' },
      { name: 'computed', propertyType: 'Function', readFunction: `'${HOSTILE}'` },
    ],
    schemaMethods: [
      {
        name: 'close',
        source: `{ throw new Error('${HOSTILE}'); }`,
        comment: HOSTILE,
        summary: BREAKING,
        description: LONG,
      },
      { name: 'tell', source: `'${BREAKING}'`, comment: TURNED },
    ],
  });
  const near = { sourceMultiplicity: '*', targetMultiplicity: '*', sourceJsonName: 'far', targetJsonName: 'near' };
  await admin.relate(town, 'NEAR', town, near);
  ids['method'] = (await admin.get('/SchemaMethod?name=close')).body.result[0].id as string;
}

async function objects(server: TestServer): Promise<void> {
  const { admin } = server;
  const towns = values().map((name) => ({ name, note: name, list: values().slice(0, 3) }));
  const made = (await admin.post('/Town', towns)).body.result as string[];
  ids['town'] = made[0] ?? '';
  await admin.put(`/Town/${ids['town']}`, { near: made, note: asking() });
  await admin.put(`/Town/${ids['town']}`, { note: HOSTILE });
  const users = values().map((name) => ({ name: `zz ${name}`, eMail: undefined, password: 'a password' }));
  const people = (await admin.post('/User', users)).body.result as string[];
  ids['user'] = people[0] ?? '';
  ids['admin'] = (await admin.get('/User?name=admin')).body.result[0].id as string;
  await admin.post('/Group', [
    { name: HOSTILE, members: people },
    { name: LONG, members: people.slice(0, 2) },
  ]);
  await admin.create('User', { name: 'guest', password: 'a password' });
  const some = await admin.create('User', { name: 'some', password: 'a password' });
  for (const signature of [
    'Town',
    '_schema',
    '_schema/Town/all',
    'Page',
    'Folder',
    'File',
    'User',
    'SchemaMethod',
    'MailTemplate',
    'Localization',
  ]) {
    const permission = await admin.create('ResourceAccess', { signature, flags: 1 });
    await admin.post('/Security', { sourceId: some, targetId: permission, allowed: ['read'] });
  }
  await admin.create('CorsSetting', { requestUri: `/${HOSTILE}`, acceptedOrigins: BREAKING });
  await admin.create('CorsSetting', { requestUri: `/${LONG}`, acceptedOrigins: LONG });
  await admin.create('SchemaGrant', { principal: ids['user'], staticSchemaNodeName: 'Page', allowRead: true });
  await admin.post('/MailTemplate', [
    {
      name: HOSTILE,
      locale: 'en',
      text: `${HOSTILE} ${asking()} ${BREAKING} <a href="${LINK}">x</a>`,
      description: HOSTILE,
    },
    { name: LONG, locale: LONG.slice(0, 300), text: LONG },
    { name: TURNED, locale: HOSTILE, text: TURNED },
  ]);
  ids['mail'] = (await admin.get(`/MailTemplate?description=${encodeURIComponent(HOSTILE)}`)).body.result[0]
    .id as string;
  await admin.post(
    '/Localization',
    values().map((name) => ({ name, domain: HOSTILE, locale: 'de', localizedName: name })),
  );
  await admin.post(
    '/log',
    values().map((one) => ({ subject: HOSTILE, object: HOSTILE, action: one, message: one })),
  );
}

async function contents(server: TestServer): Promise<void> {
  const { admin } = server;
  ids['folder'] = await admin.create('Folder', { name: HOSTILE });
  const name = (text: string): string => text.replaceAll('/', '|').slice(0, 230);
  const page = `<title>evil</title><script>document.title = 5; parent.document.title = 5</script>${asking()}`;
  const files: readonly (readonly [string, string, string])[] = [
    ['html', `${name(HOSTILE)}.html`, page],
    [
      'svg',
      `${name(BREAKING)}.svg`,
      `<svg xmlns="http://www.w3.org/2000/svg" onload="document.title=6"><script>${LINK}</script></svg>`,
    ],
    [
      'markdown',
      `${name(TURNED).replace('\u0007', '')}.md`,
      `# ${HOSTILE}\n\n[go](${LINK}) ![a](http://${elsewhere.host}/a.png) <${LINK}>\n\n${BREAKING}`,
    ],
    ['text', `${name(LONG)}.txt`, LONG],
    ['pdf', 'evil.pdf', page],
  ];
  for (const [key, called, content] of files)
    ids[key] = await uploaded(admin, file(called, content), { parent: ids['folder'] });
  const made = await admin.post('/Page/importPage', {
    name: HOSTILE,
    code: '<html><head></head><body><p id="p">x</p><a href="#">a</a></body></html>',
  });
  ids['page'] = made.body.result.id as string;
  await admin.put(`/Page/${ids['page']}`, { path: '/evil' });
  const nodes = (await admin.get(`/DOMElement?pageId=${ids['page']}&_pageSize=20&_page=1`)).body.result as {
    readonly id: string;
    readonly tag: string;
  }[];
  const of = (tag: string): string => nodes.find((one) => one.tag === tag)?.id ?? '';
  ids['element'] = of('p');
  await admin.put(`/DOMElement/${of('p')}`, {
    name: TURNED,
    _html_class: LONG,
    _html_title: HOSTILE,
    functionQuery: `'${HOSTILE}'`,
  });
  await admin.put(`/DOMElement/${of('a')}`, { _html_href: LINK, name: LONG });
  await admin.post('/Widget', [{ name: HOSTILE, source: `<p onclick="${LINK}">x</p>`, description: BREAKING }]);
  // The log, and work in the background.
  await admin.post('/_console', { mode: 'expression', line: `log('told ${HOSTILE.replaceAll("'", '')} ${BREAKING}')` });
  const from = { mode: 'app', downloadUrl: `http://127.0.0.1:1/${HOSTILE}` };
  expect((await upload(admin, fields(from), { path: '/svc/deploy' })).status).toBe(400);
}

/** What nobody is left with: a page that waits, has nothing, or has failed. */
const EMPTY = /Loading …|^\s*$|could not be loaded|has failed/;

/** What the page must never do: run what is data, open a dialog or a window. */
class Watched {
  readonly misdeeds: string[] = [];

  constructor(private readonly person: Person) {
    const { page } = person;
    page.on('dialog', (dialog) => {
      this.misdeeds.push(`opens a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.context().on('page', (other) => this.misdeeds.push(`opens ${other.url()}`));
  }

  /** Goes to a place, waits until the text stands there, and looks at all of it; `axe`: with axe-core. */
  async look(place: string, text: string | RegExp, axe: boolean): Promise<void> {
    const { page } = this.person;
    await this.person.goTo(place);
    await page.getByRole('main').getByText(text).filter({ visible: true }).first().waitFor();
    await this.now(place, axe);
  }

  async now(place: string, axe: boolean): Promise<void> {
    const { page } = this.person;
    // At both widths.
    expect.soft(axe ? await violations(page, true) : await wider(page), place).toEqual([]);
    expect.soft(await page.title(), place).toBe(`${HOSTILE} · Admin UI`);
    expect.soft(await links(page), place).toEqual([]);
    expect.soft(this.misdeeds.splice(0), place).toEqual([]);
    expect.soft(elsewhere.reached, place).toBe(0);
    await this.person.picture(place.replace(/[0-9a-f]{32}/g, 'id').replaceAll('/', '-'));
  }
}

/** Widths of the window that the page is wider than. */
async function wider(page: Page): Promise<number[]> {
  const found: number[] = [];
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    if (await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth')) found.push(width);
  }
  return found;
}

/** Links of the page that lead neither to this server, nor by a form that runs nothing. */
const links = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll('a[href]')].map((a) => a.protocol).filter((one) => !/^(?:https?|mailto|blob):$/.test(one))`,
  );

const settings = {
  'application.instance.name': HOSTILE,
  'application.title': BREAKING,
  'application.changelog.enabled': 'true',
  'application.changelog.user_centric.enabled': 'true',
};

describeInBrowser(
  'hostile data in the Admin UI',
  async (server) => {
    await elsewhere.open();
    await schema(server);
    await objects(server);
    await contents(server);
  },
  (person) => {
    it('is text in every area', async () => {
      const { page } = person();
      const watched = new Watched(person());
      const id = (key: string): string => ids[key] ?? '';
      await person().logIn();
      const areas = await page.evaluate<string[]>(
        `[...document.querySelectorAll('nav.side a')].map((one) => one.hash.slice(2))`,
      );
      const seen: readonly (readonly [string, string | RegExp])[] = [
        ['dashboard', '127.0.0.1:1/'],
        ['dashboard', `told ${HOSTILE}`],
        ['data/Town', HOSTILE],
        [`data/Town/${id('town')}`, HOSTILE],
        ['schema/types/Town/properties', 'note'],
        ['schema/types/Town/methods', 'close'],
        ['schema/types/Town/grants', 'Town'],
        ['schema/types/Town/settings', 'Town'],
        ['schema/relations', 'NEAR'],
        ['schema/diagram', 'Town'],
        [`code/SchemaMethod/${id('method')}/source`, 'onerror'],
        [`code/MailTemplate/${id('mail')}/text`, 'onerror'],
        ['console', 'Console'],
        ['pages', HOSTILE],
        [`pages/${id('page')}/${id('element')}`, HOSTILE],
        ['security/people', `zz ${HOSTILE}`],
        ['security/endpoints', 'Town'],
        ['security/types', `zz ${HOSTILE}`],
        ['security/origins', HOSTILE],
        [`security/why/${id('town')}/${id('user')}`, 'Permission for the endpoint'],
        ['files', HOSTILE],
        [`files/folder/${id('folder')}`, 'evil.pdf'],
        [`files/file/${id('html')}`, 'evil'],
        [`files/file/${id('svg')}`, 'svg'],
        [`files/file/${id('markdown')}`, HOSTILE],
        [`files/file/${id('text')}`, 'xxxxx'],
        [`files/file/${id('pdf')}`, 'evil.pdf'],
        [`files/file/${id('html')}/permissions`, 'admin'],
        [`files/file/${id('html')}/details`, 'Details'],
        ['mail-templates', HOSTILE],
        [`mail-templates/${id('mail')}`, HOSTILE],
        ['localisations', HOSTILE],
        ['analytics/time', 'Over time'],
        ['analytics/histogram', 'expression'],
        ['analytics/events', HOSTILE],
        [`changelog/object/${id('town')}`, 'changed note'],
        [`changelog/user/${id('admin')}`, /changed|linked/],
      ];
      const areaOf = (place = ''): string => place.split('/')[0] ?? '';
      // What an area is made of is looked at with axe-core at its last place, where most of it is seen.
      for (const [i, [place, text]] of seen.entries())
        await watched.look(place, text, areaOf(place) !== areaOf(seen[i + 1]?.[0]));
      expect(new Set(seen.map(([place]) => areaOf(place)))).toEqual(new Set(areas));

      // What scripts say, well and badly, and what REST answers.
      await person().goTo('console');
      const lines: readonly (readonly [string, string, string])[] = [
        ['Expression', `concat('<img src=x ', 'onerror=document.title=1>')`, '<img src=x onerror=document.title=1>'],
        ['JavaScript', `throw new Error('<b>' + '</b>${LINK}')`, `<b></b>${LINK}`],
        ['REST', 'GET /Town', HOSTILE],
        ['REST', `GET /${HOSTILE.replaceAll(' ', '+')}`, '404'],
        ['AdminShell', `import "/nowhere/${BREAKING.replaceAll('"', '')}"`, 'nowhere'],
      ];
      for (const [mode, line, shown] of lines) {
        await page.getByRole('radio', { name: mode, exact: true }).check({ force: true });
        const input = page.getByRole('region', { name: 'Results' }).getByRole('listitem');
        const before = await input.count();
        await page.getByRole('main').getByRole('textbox').first().click();
        await page.keyboard.press('ControlOrMeta+A');
        await page.keyboard.insertText(line);
        await page.getByRole('button', { name: 'Run', exact: true }).click();
        await expect.poll(() => input.count()).toBeGreaterThan(before);
        await input.first().getByText(shown).first().waitFor();
      }
      await watched.now('console', true);
    });

    it('is nothing to who may not see it, who is told so in every area', async () => {
      const { page, server } = person();
      const requests = new OpenRequests(page);
      const places = [
        ...[
          'dashboard',
          'data',
          'data/Town',
          `data/Town/${ids['town'] ?? ''}`,
          'schema',
          'schema/diagram',
          'schema/admin',
          'schema/snapshots',
        ],
        ...[
          'code',
          `code/SchemaMethod/${ids['method'] ?? ''}/source`,
          'console',
          'pages',
          'pages/bin',
          'pages/components',
        ],
        ...[
          `pages/${ids['page'] ?? ''}`,
          'security/people',
          'security/endpoints',
          'security/types',
          'security/origins',
        ],
        ...[
          `security/why/${ids['town'] ?? ''}`,
          'files',
          `files/folder/${ids['folder'] ?? ''}`,
          `files/file/${ids['html'] ?? ''}`,
        ],
        ...[
          `files/settings/${ids['folder'] ?? ''}`,
          'mail-templates',
          `mail-templates/${ids['mail'] ?? ''}`,
          'localisations',
        ],
        ...['analytics', 'changelog', `changelog/object/${ids['town'] ?? ''}`, `changelog/user/${ids['admin'] ?? ''}`],
      ];
      for (const [name, word] of [
        ['guest', /may not see|for administrators|does not permit/],
        [
          'some',
          /may not see|for administrators|no such|There (?:is|are) no|Choose|not there any more|lies here|not found|keys shown/,
        ],
      ] as const) {
        await person().logIn(name, 'a password');
        for (const place of places) {
          await person().goTo(place);
          const said = (): Promise<string> => page.getByRole('main').innerText();
          const what = { message: `${name} at ${place}` };
          await requests.answered(what.message);
          await expect.poll(said, what).toMatch(word);
          await expect.poll(said, what).not.toMatch(EMPTY);
          await person().picture(`${name}-${place.replace(/[0-9a-f]{32}/g, 'id').replaceAll('/', '-')}`);
        }
        await person().logOut();
      }
      expect((await server.as('some', 'a password').get('/Town')).status).toBe(200);
    });
  },
  {
    settings,
    // What the policies of previews forbid, the browser tells of.
    expected: (problem) =>
      /preview' because the document's frame is sandboxed|The document is sandboxed|following Content Security Policy/.test(
        problem,
      ),
  },
);

afterAll(() => {
  elsewhere.close();
});
