/** Functions of scripts for images, in both languages (docs/interface/script-runtime.md 8.8, docs/interface/media.md 2.3). */
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { file, objectOf, served, until, uploaded } from '../support/files.js';
import { TestServer } from '../support/server.js';

const METHODS: Record<string, string> = {
  thumbEx: "get(getThumbnail(first(find('Image', 'id', retrieve('id'))), 40, 40, true), 'name')",
  twiceJs: `{
    const image = $.find('Image', $.retrieve('id'));
    return [$.getThumbnail(image, 50, 50), $.getThumbnail(image, 50, 50)].map(({ id }) => id);
  }`,
  cropEx: "get(cropImage(first(find('Image', 'id', retrieve('id'))), 10, 10, 20, 20, 'webp'), 'id')",
  convertJs: "{ return $.convertImage($.find('Image', $.retrieve('id')), 'jpg', { width: 30, quality: 50 }); }",
  failJs: `{
    $.cropImage($.find('Image', $.retrieve('id')), 0, 0, 11, 11);
    $.error('name', 'is_bad');
  }`,
  badJs: "{ return $.convertImage($.find('Image', $.retrieve('id')), 'bmp'); }",
  urlEx: "imageUrl(first(find('Image', 'id', retrieve('id'))))",
  urlJs: "{ return $.imageUrl($.find('Image', $.retrieve('id')), { width: 20, height: 20, fit: 'cover' }); }",
  nullEx: 'getThumbnail(null, 10, 10)',
};

let server: TestServer;
let id: string;
beforeAll(async () => {
  server = await TestServer.start({ settings: { 'application.images.url.secret': 'a secret of images' } });
  for (const [name, source] of Object.entries(METHODS)) await server.admin.create('SchemaMethod', { name, source });
  const picture = await sharp({ create: { width: 200, height: 100, channels: 3, background: 'blue' } })
    .png()
    .toBuffer();
  id = await uploaded(server.admin, file('blue.png', picture));
});
afterAll(() => server.stop());

const run = async (name: string): Promise<unknown> => {
  const answer = await server.admin.post(`/${name}`, { id });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.result as unknown;
};

it('getThumbnail makes what is not there, once in a script, too', async () => {
  expect(await run('thumbEx')).toBe('blue.png_thumb_40x40');
  const [first, second] = (await run('twiceJs')) as string[];
  expect(first).toBe(second);
  expect(await run('twiceJs')).toEqual([first, second]);
  expect(await objectOf(server.admin, first ?? '')).toMatchObject({ isThumbnail: true, width: 50, height: 25 });
});

it('getThumbnail makes it afterwards where nothing can be written', async () => {
  await server.admin.create('SchemaNode', {
    name: 'Shown',
    inheritedTraits: ['Image'],
    schemaProperties: [
      { name: 'small', propertyType: 'Function', readFunction: "get(getThumbnail(this, 15, 15), 'name')" },
    ],
  });
  const image = await sharp({ create: { width: 20, height: 20, channels: 3, background: 'blue' } })
    .png()
    .toBuffer();
  const shown = await server.admin.create('Shown', { name: 's.png', base64Data: image.toString('base64') });
  const small = async (): Promise<unknown> => (await objectOf(server.admin, shown, 'Shown'))['small'];
  await until(async () => (await small()) === 's.png_thumb_15x15', 'the thumbnail is there');
});

it('cropImage and convertImage make images in the transaction of the script', async () => {
  const cut = (await run('cropEx')) as string;
  expect(await objectOf(server.admin, cut)).toMatchObject({
    name: 'blue.png_cropped_20x20',
    contentType: 'image/webp',
  });
  expect(await run('convertJs')).toMatchObject({ name: 'blue.jpg', contentType: 'image/jpeg' });
  expect((await server.admin.post('/failJs', { id })).status).toBe(422);
  expect((await server.admin.get('/Image?name=blue.png_cropped_11x11')).body.result).toEqual([]);
  expect((await server.admin.post('/badJs', { id })).status).toBeGreaterThanOrEqual(400);
});

it('imageUrl signs an address', async () => {
  expect(await run('urlEx')).toMatch(/^\/svc\/image\/[\w-]+\/original\//);
  const { status, bytes } = await served(server.admin, (await run('urlJs')) as string);
  expect(status).toBe(200);
  expect(await sharp(bytes).metadata()).toMatchObject({ width: 20, height: 20 });
  expect(await run('nullEx')).toEqual([]);
});
