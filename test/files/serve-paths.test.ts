/** Which paths mean a file, and which do not (contract, Upload 3 and 4; docs/interface/files.md 5.1). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestServer } from '../support/server.js';
import { change, fetchPath, makeFile, makeFolder, replaceContent, statusOf } from '../support/serving.js';

let server: TestServer;
let folder: string;
let id: string;

beforeAll(async () => {
  server = await TestServer.start();
  folder = await makeFolder(server, 'a');
  id = await makeFile(server, { name: 'b.css', content: 'body {}', parent: folder });
});
afterAll(() => server.stop());

const text = async (path: string): Promise<string> => {
  const answer = await fetchPath(server, path);
  return answer.status === 200 ? answer.text : String(answer.status);
};

describe('a file is served', () => {
  it('at its virtual path, at the long form of it, and by its UUID', async () => {
    expect(await text('/a/b.css')).toBe('body {}');
    expect(await text('/svc/html/a/b.css')).toBe('body {}');
    expect(await text(`/${id}`)).toBe('body {}');
    expect(await text(`/svc/html/${id}`)).toBe('body {}');
    expect(await text('/a/b.css?anything=1')).toBe('body {}');
  });

  it('at escaped forms of the path', async () => {
    expect(await text('/%61/b%2Ecss')).toBe('body {}');
    expect(await text('/a%2Fb.css')).toBe('body {}');
  });

  it('below a folder called svc by the long form alone', async () => {
    const svc = await makeFolder(server, 'svc');
    await makeFile(server, { name: 'x.txt', content: 'below svc', parent: svc });
    expect(await text('/svc/html/svc/x.txt')).toBe('below svc');
    expect(await text('/svc/x.txt')).toBe('404');
    expect(await text('/%73vc/x.txt')).toBe('404');
  });

  it('under any name, in every script', async () => {
    for (const name of [
      'żółć €.txt',
      '100%.txt',
      'a+b.txt',
      'semi;colon',
      '"quoted"',
      "it's",
      'x#y',
      '..x',
      '...',
      '\\',
      'back\\slash',
      ' blank ',
      'tab\t',
    ]) {
      await makeFile(server, { name, content: name, parent: folder });
      expect(await text(`/a/${encodeURIComponent(name)}`), name).toBe(name);
    }
  });

  it('by the very form of Unicode of its name', async () => {
    await makeFile(server, { name: 'e\u0301', content: 'decomposed', parent: folder });
    expect(await text(`/a/${encodeURIComponent('e\u0301')}`)).toBe('decomposed');
    expect(await text(`/a/${encodeURIComponent('é')}`)).toBe('404');
  });

  it('with a question mark in its name, before the one without', async () => {
    await makeFile(server, { name: 'page', content: 'plain', parent: folder });
    expect(await text('/a/page?id=1')).toBe('plain');
    const asked = await makeFile(server, { name: 'page?id=1', content: 'asked', parent: folder });
    expect(await text('/a/page?id=1')).toBe('asked');
    expect(await text('/a/page%3Fid=1')).toBe('asked');
    expect(await text('/a/page?id=2')).toBe('plain');
    expect(await text('/a/page')).toBe('plain');
    await change(server.admin, `/File/${asked}`, { visibleToPublicUsers: false });
    expect(await text('/a/page?id=1')).toBe('plain');
    await server.admin.delete(`/File/${asked}`);
    expect(await text('/a/page?id=1')).toBe('plain');
  });

  it('whose name looks like a UUID, before the one that has this UUID', async () => {
    const named = await makeFile(server, { name: id, content: 'by name' });
    expect(await text(`/${id}`)).toBe('by name');
    await server.admin.delete(`/File/${named}`);
    expect(await text(`/${id}`)).toBe('body {}');
  });
});

describe('nothing is served', () => {
  it.each([
    ['another case', '/A/b.css'],
    ['another case of the name', '/a/B.css'],
    ['a trailing slash', '/a/b.css/'],
    ['a doubled slash', '/a//b.css'],
    ['a doubled slash at the start', '//a/b.css'],
    ['a dot', '/a/./b.css'],
    ['dots', '/a/x/../b.css'],
    ['escaped dots', '/a/%2e%2e/a/b.css'],
    ['dots out of the tree', '/../../../../etc/passwd'],
    ['escaped slashes and dots', '/..%2f..%2f..%2fetc%2fpasswd'],
    ['double escapes', '/%252e%252e/etc/passwd'],
    ['a file as a folder', '/a/b.css/c'],
    ['a folder', '/a'],
    ['a folder with a slash', '/a/'],
    ['another drive', '/C:%5Cwindows%5Cwin.ini'],
    ['a stream of the file system', '/a/b.css::$DATA'],
    ['the long form alone', '/svc/html/'],
    ['an unknown UUID', '/00000000000000000000000000000001'],
  ])('for %s', async (_, path) => {
    const answer = await fetchPath(server, path);
    expect(answer.status).toBe(404);
    expect(JSON.parse(answer.text)).toMatchObject({ code: 404 });
  });

  it('for the UUID of a folder or of any other object', async () => {
    expect(await statusOf(server, `/${folder}`)).toBe(404);
    const group = await server.admin.create('Group', { name: 'g', visibleToPublicUsers: true });
    expect(await statusOf(server, `/${group}`)).toBe(404);
    expect(await statusOf(server, `/a/${id}`)).toBe(404);
  });

  it('for what is no path', async () => {
    expect(await statusOf(server, '/a/b.css%00.png')).toBe(400);
    expect(await statusOf(server, '/a/%zz')).toBe(400);
    expect(await statusOf(server, '/a/%c3%28')).toBe(400);
  });

  it('for very long and very deep paths', async () => {
    expect(await statusOf(server, `/${'x'.repeat(7000)}`)).toBe(404);
    expect(await statusOf(server, `/${'y/'.repeat(3000)}z`)).toBe(404);
    expect(await statusOf(server, `/a${'/b'.repeat(300)}`)).toBe(404);
    expect(await statusOf(server, `/${'x'.repeat(20_000)}`)).toBeGreaterThanOrEqual(400);
    server.assertAlive();
  });
});

describe('changes hold at once', () => {
  it('renaming, moving, deleting and creating, also of what was served before', async () => {
    const [one, two] = [await makeFolder(server, 'one'), await makeFolder(server, 'two')];
    const file = await makeFile(server, { name: 'f', content: 'first', parent: one });
    expect(await text('/one/f')).toBe('first');
    expect(await text('/one/g')).toBe('404');
    await change(server.admin, `/File/${file}`, { name: 'g' });
    expect(await text('/one/f')).toBe('404');
    expect(await text('/one/g')).toBe('first');
    await change(server.admin, `/File/${file}`, { parent: two });
    expect(await text('/one/g')).toBe('404');
    expect(await text('/two/g')).toBe('first');
    await change(server.admin, `/Folder/${two}`, { name: 'three' });
    expect(await text('/two/g')).toBe('404');
    expect(await text('/three/g')).toBe('first');
    await change(server.admin, `/Folder/${two}`, { parent: one });
    expect(await text('/three/g')).toBe('404');
    expect(await text('/one/three/g')).toBe('first');
    expect(await text(`/${file}`)).toBe('first');
    await replaceContent(server, file, 'second');
    expect(await text('/one/three/g')).toBe('second');
    expect(await text(`/${file}`)).toBe('second');
    await server.admin.delete(`/File/${file}`);
    expect(await text('/one/three/g')).toBe('404');
    expect(await text(`/${file}`)).toBe('404');
    await makeFile(server, { name: 'g', content: 'third', parent: two });
    expect(await text('/one/three/g')).toBe('third');
  });

  it('a folder that is deleted lets its files go to the root', async () => {
    const gone = await makeFolder(server, 'gone');
    await makeFile(server, { name: 'left.txt', content: 'left', parent: gone });
    expect(await text('/gone/left.txt')).toBe('left');
    expect(await text('/left.txt')).toBe('404');
    await server.admin.delete(`/Folder/${gone}`);
    expect(await text('/gone/left.txt')).toBe('404');
    expect(await text('/left.txt')).toBe('left');
  });

  it('whole paths come to be by a folder that is moved', async () => {
    const [top, inner] = [await makeFolder(server, 'top'), await makeFolder(server, 'inner')];
    await makeFile(server, { name: 'deep.txt', content: 'deep', parent: inner });
    expect(await text('/top/inner/deep.txt')).toBe('404');
    await change(server.admin, `/Folder/${inner}`, { parent: top });
    expect(await text('/top/inner/deep.txt')).toBe('deep');
  });
});
