/** Pages imported from an address, with their files (docs/interface/pages.md 8.5). The site is a server of the test. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Client } from '../../support/client.js';
import { getPage } from '../../support/pages.js';
import { allow } from '../../support/permissions.js';
import { TestServer } from '../../support/server.js';
import { css, html, leadsTo, listen, of, type Reply } from './sites.js';
import { refused } from './support.js';

let server: TestServer;
let admin: Client;
let anna: Client;
let site: Server;
let other: Server;
const routes = new Map<string, Reply>();
const asked: string[] = [];

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const at = (path: string, one = site, host = '127.0.0.1'): string =>
  `http://${host}:${String((one.address() as AddressInfo).port)}${path}`;

beforeAll(async () => {
  [site, other] = await Promise.all([listen(routes, asked), listen(routes, asked)]);
  server = await TestServer.start();
  ({ admin } = server);
  await admin.create('User', { name: 'anna', password: 'Anna-pass-1' });
  anna = server.as('anna', 'Anna-pass-1');
});
afterAll(async () => {
  await server.stop();
  for (const one of [site, other]) {
    one.closeAllConnections();
    one.close();
  }
});

const ask = (input: object, client = admin): Promise<Answer> => client.post('/Page/importPage', input);
interface Imported {
  readonly id: string;
  readonly files: readonly { readonly id: string; readonly path: string }[];
  readonly missing: readonly { readonly address: string; readonly reason: string }[];
}
const imported = async (name: string, path: string, more: object = {}, client = admin): Promise<Imported> => {
  const answer = await ask({ name, address: at(path), publicVisible: true, authVisible: true, ...more }, client);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.result as Imported;
};
const shown = async (path: string, client = server.as()): Promise<string> => (await getPage(client, path)).text;
const counts = async (): Promise<unknown[]> =>
  Promise.all(
    ['Page', 'File', 'Folder', 'DOMNode'].map(
      async (type) => (await admin.get(`/${type}?_pageSize=1&_page=1`)).body.result_count,
    ),
  );

describe('a page and its files', () => {
  it('are fetched, stored, and named by the page', async () => {
    routes.set(
      '/shop/',
      html(`<!doctype html><html lang="en"><head><meta charset="iso-8859-1"><title>Caf\u00e9</title>
        <link rel="stylesheet" href="css/main.css" integrity="sha256-x"><link rel="canonical" href="/canon">
        <script src="/js/app.js?v=3"></script><style>p { background: url('/img/a.png') }</style></head>
        <body style="background: url(../img/a.png)"><img src="../img/a.png" srcset="/img/a.png 1x, /img/b.png 2x" alt="">
        <a href="next.html">next</a><iframe src="inner"></iframe><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">
        <video src="/img/v.mp4" poster="/img/a.png"></video></body></html>`),
    );
    routes.set(
      '/shop/css/main.css',
      css(`@import "more.css"; /* url(no.png) */ h1 { background: URL( "../../img/a.png#x" ) } i { content: "url(no.png)" }
        @font-face { src: url(${at('/font.woff', other)}) } b { background: url(data:image/png;base64,AA==) }`),
    );
    routes.set('/shop/css/more.css', css('@import url(main.css); b { color: red }'));
    routes.set('/js/app.js?v=3', of('application/javascript', 'window.app = `${1 + 1}`;'));
    for (const path of ['/img/a.png', '/img/b.png'])
      routes.set(path, of('image/png', Buffer.concat([PNG, Buffer.from(path)])));
    routes.set('/font.woff', of('font/woff', 'wOFF-font'));
    routes.set('/img/v.mp4', of('video/mp4', Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0mp42isom', 'latin1')));

    const { id, files, missing } = await imported('shop', '/shop/');
    expect(missing).toEqual([]);
    const font = `/127.0.0.1-${String((other.address() as AddressInfo).port)}/font.woff`;
    expect(files.map(({ path }) => path).sort()).toEqual(
      ['/img/a.png', '/img/b.png', '/img/v.mp4', '/js/app.js', '/shop/css/main.css', '/shop/css/more.css', font].sort(),
    );
    expect((await admin.get(`/Page/${id}`)).status).toBe(200);
    const text = await shown('/shop');
    expect(text).toContain('<title>Caf\u00e9</title>');
    expect(text).toMatch(/<link (?=[^>]*href="\/shop\/css\/main\.css\?1")(?=[^>]*rel="stylesheet")[^>]*>/);
    expect(text).not.toContain('integrity');
    expect(text).toContain(`href="${at('/canon')}"`);
    expect(text).toContain('src="/js/app.js"');
    expect(text).toContain('p { background: url("/img/a.png") }');
    expect(text).toMatch(/<body style="background: url\(&quot;\/img\/a\.png&quot;\)">/);
    expect(text).toContain('srcset="/img/a.png 1x, /img/b.png 2x"');
    expect(text).toContain('href="next.html"');
    expect(text).toContain(`<iframe src="${at('/shop/inner')}">`);
    expect(text).toContain('src="data:image/gif;base64,R0lGODlhAQABAAAAACw="');
    expect(text).toMatch(/<video (?=[^>]*src="\/img\/v\.mp4")(?=[^>]*poster="\/img\/a\.png")/);
    const sheet = await getPage(server.as(), '/shop/css/main.css');
    expect(sheet.headers.get('content-type')).toMatch(/^text\/css/);
    expect(sheet.text).toContain('@import url("/shop/css/more.css")');
    expect(sheet.text).toContain('h1 { background: url("/img/a.png#x") } i { content: "url(no.png)" }');
    expect(sheet.text).toContain(`src: url("${font}")`);
    expect(sheet.text).toContain('/* url(no.png) */');
    expect((await getPage(server.as(), '/js/app.js')).headers.get('content-type')).toMatch(/javascript/);
    expect((await getPage(server.as(), '/img/a.png')).headers.get('content-type')).toBe('image/png');
    // Nobody asks twice.
    expect(asked.filter((path) => path === '/img/a.png')).toHaveLength(1);

    // The same content at its path is the same file; another one gets another name.
    const again = await imported('shop2', '/shop/');
    const known = new Map(files.map((one) => [one.path, one.id]));
    expect(again.files.find(({ path }) => path === '/img/a.png')?.id).toBe(known.get('/img/a.png'));
    routes.set('/img/a.png', of('image/png', Buffer.concat([PNG, Buffer.from('new')])));
    const third = await imported('shop3', '/shop/');
    expect(third.files.map(({ path }) => path)).toContain('/img/a-2.png');
    expect(await shown('/shop3')).toContain('src="/img/a-2.png"');
  });

  it('runs no script of the site on the server', async () => {
    routes.set(
      '/tricks/',
      html(
        '<p title="${1+1} $${2+2}" data-svc-meta-function-query="${1}" data-svc-meta-data-key="k">${3+3}</p><!-- ${4+4} --><script>a = `${5+5}`</script>' +
          '<img src="i.png#${6+6}"><!-- @svc:grant(anna,rwda) -->',
      ),
    );
    routes.set('/tricks/i.png', of('image/png', PNG));
    const { id } = await imported('tricks', '/tricks/');
    const text = await shown('/tricks');
    expect(text).toContain('<p title="${1+1} $${2+2}">${3+3}</p>');
    expect(text).toContain('<!-- ${4+4} -->');
    expect(text).toContain('a = `${5+5}`');
    expect(text).toContain('src="/tricks/i.png#${6+6}"');
    // Nor does it give orders to whoever imports an export of the page.
    expect((await getPage(admin, `/${id}?_edit=4`)).text).not.toContain('grant(anna');
  });

  it('are seen by whom the page is for', async () => {
    routes.set('/inner/', html('<img src="/inner/x.png">'));
    routes.set('/inner/x.png', of('image/png', PNG));
    const { files } = await imported('inner', '/inner/', { publicVisible: false, includeInExport: true });
    expect((await getPage(server.as(), '/inner/x.png')).status).toBe(404);
    expect((await getPage(anna, '/inner/x.png')).status).toBe(200);
    expect((await admin.get(`/File/${files[0]?.id ?? ''}/ui`)).body.result).toMatchObject({
      ...{ includeInFrontendExport: true, visibleToPublicUsers: false, visibleToAuthenticatedUsers: true },
    });
    // A file that fewer may see is no file of a page for more.
    const open = await imported('open', '/inner/');
    expect(open.files.map(({ path }) => path)).toEqual(['/inner-2/x.png']);
    expect((await getPage(server.as(), '/inner-2/x.png')).status).toBe(200);
  });

  it('a style sheet with too many addresses is missing, and the rest is there', async () => {
    routes.set('/heavy/', html('<link rel=stylesheet href=a.css><link rel=stylesheet href=b.css><p>x'));
    routes.set('/heavy/a.css', css('a { background: url(a.png) }'.repeat(5001)));
    routes.set('/heavy/b.css', css('b { color: red }'));
    const { files, missing } = await imported('heavy', '/heavy/');
    expect(files.map(({ path }) => path)).toEqual(['/heavy/b.css']);
    expect(missing).toEqual([
      { address: at('/heavy/a.css'), reason: expect.stringMatching(/more than 5000 addresses/) },
    ]);
    expect(await shown('/heavy')).toContain(at('/heavy/a.css'));
  });

  it('that are missing are told, and stay where they are', async () => {
    routes.set(
      '/gaps/',
      html(
        '<img src="none.png"><img src="page"><link rel="stylesheet" href="s.css"><img src="http://127.0.0.1:1/x.png">',
      ),
    );
    routes.set('/gaps/page', html('<p>no image'));
    routes.set('/gaps/s.css', css('a { background: url(gone.png) }'));
    const { files, missing } = await imported('gaps', '/gaps/');
    expect(files.map(({ path }) => path)).toEqual(['/gaps/s.css']);
    expect(missing.map(({ address, reason }) => [address, reason]).sort()).toEqual(
      [
        [at('/gaps/gone.png'), 'status 404'],
        [at('/gaps/none.png'), 'status 404'],
        [at('/gaps/page'), 'it is a page'],
        ['http://127.0.0.1:1/x.png', expect.stringMatching(/./)],
      ].sort(),
    );
    expect(await shown('/gaps')).toContain(`src="${at('/gaps/none.png')}"`);
    expect(await shown('/gaps/s.css')).toContain(`url("${at('/gaps/gone.png')}")`);
  });

  it('are found by `base`, behind redirects, and at paths with and without a slash', async () => {
    routes.set('/moved', leadsTo('/new/place.html'));
    routes.set(
      '/new/place.html',
      html('<head><base href="/base/"></head><img src="i.png"><a href="x">x</a><a href="https://example.com/">y</a>'),
    );
    routes.set('/base/i.png', leadsTo('/real/i.png'));
    routes.set('/real/i.png', of('image/png', PNG));
    const { files } = await imported('moved', '/moved');
    expect(asked).toContain('/moved/');
    expect(files.map(({ path }) => path)).toEqual(['/base/i.png']);
    const text = await shown('/moved');
    expect(text).not.toContain('<base');
    expect(text).toContain('href="/base/x"');
    expect(text).toContain('href="https://example.com/"');
  });
});

describe('tricks and limits', () => {
  it('paths of files stay in the tree', async () => {
    const paths = [
      '/..%2f..%2fetc%2fpasswd',
      '/a/%2e%2e%5cb.txt',
      '/%00.png',
      '/svc/rest/x.png',
      '/html/x.png',
      `/${'l'.repeat(400)}.png`,
      '/a%',
      '/x/',
    ];
    routes.set('/paths/', html(paths.map((one) => `<img src="${one}">`).join('')));
    for (const one of paths) routes.set(one, of('image/png', Buffer.concat([PNG, Buffer.from(one)])));
    const { files, missing } = await imported('paths', '/paths/');
    expect(missing).toEqual([]);
    const names = files.map(({ path }) => decodeURIComponent(path)).sort();
    expect(names).toEqual(
      [
        ...[
          '/.._.._etc_passwd',
          '/a/.._b.txt',
          '/_.png',
          '/_svc/rest/x.png',
          '/_html/x.png',
          `/${'l'.repeat(196)}.png`,
          '/a%',
          '/x/index',
        ],
      ].sort(),
    );
    for (const { path } of files) expect((await getPage(server.as(), path)).status, path).toBe(200);
  });

  it('addresses that calls may not lead to are refused, also behind redirects', async () => {
    routes.set('/guarded/', html(`<img src="${at('/secret.png', other, 'localhost')}"><img src="/away.png">`));
    routes.set('/secret.png', of('image/png', PNG));
    routes.set('/away.png', leadsTo(at('/secret.png', other, '127.0.0.2')));
    routes.set('/leave/', leadsTo(at('/secret.png', other, '127.0.0.2')));
    await server.reload({ 'application.httphelper.blockedaddresses': '127.0.0.2' });
    try {
      const before = await counts();
      refused(await ask({ name: 'x', address: at('/leave/') }), 422, /not permitted/);
      refused(await ask({ name: 'x', address: at('/', other, '127.0.0.2') }), 422, /not permitted/);
      expect(await counts()).toEqual(before);
      const { missing } = await imported('guarded', '/guarded/');
      expect(missing.find(({ address }) => address === at('/away.png'))?.reason).toMatch(/not permitted/);
      await server.reload({ 'application.httphelper.urlwhitelist': 'https://example\\.com/.*' });
      refused(await ask({ name: 'x', address: at('/guarded/') }), 422, /urlwhitelist/);
    } finally {
      await server.reload({
        'application.httphelper.blockedaddresses': '',
        'application.httphelper.urlwhitelist': '*',
      });
    }
    for (const address of ['file:///etc/passwd', 'ftp://example.com/', 'javascript:alert(1)', 'nothing', '/etc/passwd'])
      refused(await ask({ name: 'x', address }), 422, /./);
  });

  it('what is no page, has no end, or leads in circles is refused, and nothing is left', async () => {
    routes.set('/loop/', leadsTo('/loop/'));
    routes.set('/image.png', of('image/png', PNG));
    routes.set('/broken/', of('text/html', 'x', 500));
    let closed = 0;
    const endless: Reply = (request, response) => {
      const isPage = request.url === '/endless/';
      response.writeHead(200, { 'Content-Type': isPage ? 'text/html' : 'image/png' });
      const piece = Buffer.alloc(1024 * 1024, 'x');
      const more = (): void => {
        while (!response.destroyed && response.write(piece));
      };
      response.on('drain', more).on('close', () => closed++);
      more();
    };
    routes.set('/endless/', endless);
    const before = await counts();
    refused(await ask({ name: 'x', address: at('/loop/') }), 422, /more than 20 times/);
    refused(await ask({ name: 'x', address: at('/image.png') }), 422, /no page/);
    refused(await ask({ name: 'x', address: at('/broken/') }), 422, /status 500/);
    refused(await ask({ name: 'x', address: at('/endless/') }), 422, /larger than 16 MB/);
    refused(await ask({ name: 'x', address: at('/none/') }), 422, /status 404/);
    refused(await ask({ name: 'x', address: 'http://127.0.0.1:1/' }), 422, /./);
    expect(closed).toBe(1);
    expect(await counts()).toEqual(before);

    // Of a file it is one that is missing.
    routes.set('/slow/', html('<img src="endless.png"><img src="round.png"><img src="fine.png">'));
    routes.set('/slow/endless.png', endless);
    routes.set('/slow/round.png', leadsTo('/slow/round.png'));
    routes.set('/slow/fine.png', of('image/png', PNG));
    const { files, missing } = await imported('slow', '/slow/');
    expect(files.map(({ path }) => path)).toEqual(['/slow/fine.png']);
    expect(missing.map(({ reason }) => reason).sort()).toEqual([
      expect.stringMatching(/larger than 32 MB/),
      expect.stringMatching(/more than 20 times/),
    ]);
  });

  it('long lists of sizes hold nothing up, and addresses are bounded', async () => {
    routes.set(
      '/sizes/',
      html(`<img srcset="${','.repeat(200_000)}"><img srcset="a${','.repeat(200_000)}b, c 2x"><img srcset="d.png,">
        <link rel="stylesheet" href="blank.css"><link rel="stylesheet" href="open.css">`),
    );
    routes.set('/sizes/blank.css', css(`a { background: url(${' '.repeat(300_000)}`));
    routes.set('/sizes/open.css', css(`a { content: "${'\\"x'.repeat(100_000)}`));
    const begun = performance.now();
    const { missing, files } = await imported('sizes', '/sizes/');
    // As long as one of them for each of its characters: minutes.
    expect(performance.now() - begun).toBeLessThan(5000);
    expect(missing.map(({ address }) => address).slice(-2)).toEqual([at('/sizes/c'), at('/sizes/d.png')]);
    expect(files.map(({ path }) => path).sort()).toEqual(['/sizes/blank.css', '/sizes/open.css']);
    routes.set('/named-often/', html(`<img srcset="${'a 1x,'.repeat(20_001)}">`));
    refused(await ask({ name: 'x', address: at('/named-often/') }), 422, /more than 20000 addresses/);
  });

  it('a page has at most 500 files', async () => {
    routes.set('/many/', html(Array.from({ length: 510 }, (_, i) => `<img src="/many/${String(i)}.png">`).join('')));
    for (let i = 0; i < 510; i++) routes.set(`/many/${String(i)}.png`, of('image/png', PNG));
    const { files, missing } = await imported('many', '/many/');
    expect([files.length, missing.length]).toEqual([500, 10]);
    expect(missing[0]?.reason).toMatch(/at most 500 files/);
  });

  it('a page that cannot be made leaves no file', async () => {
    routes.set('/wide/', html(`<img src="/wide/1.png">${'<b>x</b>'.repeat(10_001)}`));
    routes.set('/named/', html('<img src="/named/1.png">'));
    routes.set('/named/1.png', of('image/png', PNG));
    const before = await counts();
    refused(await ask({ name: 'x', address: at('/wide/') }), 422, /more than 20000 nodes/);
    refused(await ask({ name: 'a/b', address: at('/named/') }), 422, /./);
    refused(await ask({ name: 'x', address: at('/named/'), code: '<p>' }), 422, /not from both/);
    refused(await ask({ name: 'x' }), 400, /"code" or "address"/);
    expect(await counts()).toEqual(before);
  });
});

describe('users who are no administrators', () => {
  it('need a permission; what they import is theirs, goes where they may write, and runs nothing', async () => {
    routes.set(
      '/hers/',
      html('<p onclick="alert(1)">${me.name}</p><img src="/hers/i.png"><script src="/hers/s.js"></script>'),
    );
    routes.set('/hers/i.png', of('image/png', PNG));
    routes.set('/hers/s.js', of('text/javascript', 'alert(1)'));
    const before = asked.length;
    refused(await ask({ name: 'hers', address: at('/hers/') }, anna), 401, /Access denied/);
    refused(await ask({ name: 'hers', address: at('/hers/') }, server.as()), 401, /Access denied/);
    expect(asked.length).toBe(before);
    await allow(admin, 'Page/importPage', 'user', ['POST']);
    // A folder of somebody else is none of hers.
    await admin.create('Folder', { name: 'hers', visibleToPublicUsers: true, visibleToAuthenticatedUsers: true });
    // She is not led into the network of the server, unless it is said where calls may lead.
    refused(await ask({ name: 'hers', address: at('/hers/') }, anna), 422, /127\.0\.0\.1 are not permitted/);
    refused(await ask({ name: 'hers', address: at('/hers/', site, 'localhost') }, anna), 422, /not permitted/);
    expect(asked.length).toBe(before);
    await server.reload({ 'application.httphelper.urlwhitelist': 'http://127\\.0\\.0\\.1:.*' });
    const { files } = await imported('hers', '/hers/', {}, anna);
    await server.reload({ 'application.httphelper.urlwhitelist': '*' });
    expect(files.map(({ path }) => path).sort()).toEqual(['/hers-2/i.png', '/hers-2/s.js']);
    const text = await shown('/hers', admin);
    expect(text).toContain('<p>${me.name}</p>');
    expect(text).toContain('src="/hers-2/i.png"');
    expect(text).not.toMatch(/alert|<script/);
    const [file] = (await admin.get('/File?path=/hers-2/i.png')).body.result as { owner?: { name: string } }[];
    expect(file?.owner?.name).toBe('anna');
  });
});
