/** Images of images: parts, other formats, sizes at addresses (docs/interface/media.md 2.3, 2.4). */
import { createHmac } from 'node:crypto';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '../support/client.js';
import { file, objectOf, served, uploaded } from '../support/files.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

/** Every pixel of it tells where it is. */
function gradient(width: number, height: number): Promise<Buffer> {
  const pixels = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) pixels.set([x, y, 7], (y * width + x) * 3);
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
}

describe('images of images', () => {
  let server: TestServer;
  let picture: Buffer;
  let id: string;
  beforeAll(async () => {
    server = await TestServer.start({ settings: { 'application.images.url.secret': 'a secret of images' } });
    picture = await gradient(200, 100);
    id = await uploaded(server.admin, file('g.png', picture));
  });
  afterAll(() => server.stop());

  const call = (method: string, input: object, client = server.admin): Promise<Answer> =>
    client.post(`/Image/${id}/${method}`, input);
  const contentOf = async (image: string): Promise<Buffer> =>
    (await served(server.admin, String((await objectOf(server.admin, image))['path']))).bytes;

  it('cut out are exactly the pixels that were asked for', async () => {
    const answer = await call('crop', { offsetX: 30, offsetY: 20, width: 50, height: 40 });
    const made = answer.body.result as Record<string, string>;
    expect(made).toMatchObject({ type: 'Image', name: 'g.png_cropped_50x40', contentType: 'image/png' });
    const { data, info } = await sharp(await contentOf(made['id'] ?? ''))
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect([info.width, info.height]).toEqual([50, 40]);
    expect([...data.subarray(0, 3)]).toEqual([30, 20, 7]);
    expect([...data.subarray(-3)]).toEqual([79, 59, 7]);
    expect(await objectOf(server.admin, made['id'] ?? '')).toMatchObject({ width: 50, height: 40, isThumbnail: false });
  });

  it('cut out at the edge are what lies in the image, and nothing where nothing does', async () => {
    const made = (await call('crop', { offsetX: 190, offsetY: -5, width: 50, height: 40, format: 'jpg' })).body
      .result as Record<string, string>;
    expect(made).toMatchObject({ name: 'g.png_cropped_10x35', contentType: 'image/jpeg' });
    expect((await call('crop', { offsetX: 200, width: 5, height: 5 })).status).toBe(422);
    expect((await call('crop', { width: 0, height: 5 })).status).toBe(422);
    expect((await call('crop', { width: 5 })).status).toBe(400);
    expect((await call('crop', { width: 5, height: 5, format: 'bmp' })).status).toBe(400);
  });

  it('in another format have its content type, its name and its size', async () => {
    for (const format of ['webp', 'avif', 'jpeg', 'gif']) {
      const made = (await call('convert', { format, width: 100 })).body.result as Record<string, string>;
      expect(made).toMatchObject({ name: `g.${format === 'jpeg' ? 'jpg' : format}`, contentType: `image/${format}` });
      const { width, height, format: is } = await sharp(await contentOf(made['id'] ?? '')).metadata();
      expect([width, height, is]).toEqual([100, 50, format === 'avif' ? 'heif' : format]);
    }
  });

  it('are made by who may read the image and write where it lies', async () => {
    for (const name of ['crop', 'getThumbnail']) await allow(server.admin, `Image/_id/${name}`, 'user', ['POST']);
    await server.admin.create('User', { name: 'editor', password: 'editor-1' });
    const editor = server.as('editor', 'editor-1');
    const part = { width: 5, height: 5 };
    expect((await call('crop', part, editor)).status).toBe(404);
    await server.admin.put(`/Image/${id}`, { visibleToAuthenticatedUsers: true });
    expect((await call('crop', part, editor)).status).toBe(403);
    expect((await call('getThumbnail', { width: 40, height: 40, crop: true }, editor)).body.result).toMatchObject({
      name: 'g.png_thumb_40x40',
    });
    await server.admin.put(`/Image/${id}`, { visibleToAuthenticatedUsers: false });
  });

  it('are for whom their original is when who may write that makes them, else for their maker alone', async () => {
    const folder = await server.admin.create('Folder', { name: 'studio' });
    const content = { base64Data: picture.toString('base64'), visibleToAuthenticatedUsers: true };
    const image = await server.admin.create('Image', { name: 'i.png', parent: folder, ...content });
    const owner = await server.admin.create('User', { name: 'owner', password: 'owner-1' });
    const painter = await server.admin.create('User', { name: 'painter', password: 'painter-1' });
    await server.admin.put(`/Image/${image}`, { owner });
    const grant = (targetId: string): Promise<string> =>
      server.admin.create('Security', { sourceId: painter, targetId, allowed: ['read', 'write'] });
    const cropped = async (): Promise<Record<string, unknown>> => {
      const input = { width: 5, height: 5 };
      const answer = await server.as('painter', 'painter-1').post(`/Image/${image}/crop`, input);
      expect(answer.status, answer.text).toBe(200);
      return objectOf(server.admin, String(answer.body.result.id));
    };
    await grant(folder);
    const mine = { owner: { id: painter }, visibleToAuthenticatedUsers: false };
    expect(await cropped()).toMatchObject({ ...mine, path: '/studio/i.png_cropped_5x5' });
    await grant(image);
    const theirs = await cropped();
    expect(theirs).toMatchObject({ owner: { id: owner }, visibleToAuthenticatedUsers: true });
    await allow(server.admin, 'Image/_id', 'user', ['PUT']);
    const again = await server.as('painter', 'painter-1').put(`/Image/${String(theirs['id'])}`, { hidden: false });
    expect(again.status, again.text).toBe(200);
  });

  it('of what moves move', async () => {
    const frames = await sharp(Buffer.alloc(20 * 60 * 3, 90), {
      raw: { width: 20, height: 60, channels: 3, pageHeight: 20 },
    })
      .composite([{ input: { create: { width: 5, height: 5, channels: 3, background: 'red' } }, left: 0, top: 25 }])
      .gif()
      .toBuffer();
    const moving = await uploaded(server.admin, file('moving.gif', frames));
    const made = (await server.admin.post(`/Image/${moving}/convert`, { format: 'webp', width: 10 })).body.result;
    expect(await sharp(await contentOf(made.id), { pages: -1 }).metadata()).toMatchObject({ width: 10, pages: 3 });
  });

  it('tell nobody where they were taken, and have the colours of browsers', async () => {
    const jpeg = await sharp(picture)
      .withIccProfile('p3')
      .withExifMerge({ IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '54/1 59/1 2280/100' } })
      .jpeg()
      .toBuffer();
    const image = await uploaded(server.admin, file('taken.jpg', jpeg));
    expect(await objectOf(server.admin, image)).toMatchObject({ gpsData: expect.stringContaining('54°') as unknown });
    const made = (await server.admin.post(`/Image/${image}/convert`, { format: 'jpeg' })).body.result;
    const { exif, icc, space } = await sharp(await contentOf(made.id)).metadata();
    expect({ exif, icc, space }).toEqual({ exif: undefined, icc: undefined, space: 'srgb' });
    const tn = (await objectOf(server.admin, image))['tnSmall'] as { id: string };
    expect((await sharp(await contentOf(tn.id)).metadata()).exif).toBe(undefined);
  });

  describe('at addresses', () => {
    const address = async (options: object): Promise<string> =>
      String((await call('getImageUrl', options)).body.result);

    it('have the size and format that the address says', async () => {
      const url = await address({ width: 60, height: 60, fit: 'cover', format: 'jpeg' });
      expect(url).toMatch(/^\/svc\/image\/[\w-]+\/w_60,h_60,c_cover,f_jpeg\/[0-9a-f]{32}$/);
      const answer = await served(server.admin, url);
      expect(answer.status).toBe(200);
      expect(answer.headers['content-type']).toBe('image/jpeg');
      expect(await sharp(answer.bytes).metadata()).toMatchObject({ width: 60, height: 60, format: 'jpeg' });
      const wide = await served(server.admin, await address({ width: 400, enlarge: true }));
      expect(await sharp(wide.bytes).metadata()).toMatchObject({ width: 400, height: 200, format: 'png' });
    });

    it('are those that were signed', async () => {
      const url = await address({ width: 60 });
      for (const wrong of [url.replace('w_60', 'w_61'), url.replace(/image\/./, 'image/!'), url.replace(/.$/, 'x')])
        expect((await served(server.admin, wrong)).status).toBeGreaterThanOrEqual(403);
      expect((await call('getImageUrl', { width: 100_000 })).status).toBe(400);
      expect((await call('getImageUrl', { width: 5, fit: 'cover' })).status).toBe(400);
      expect((await call('getImageUrl', { size: 5 })).status).toBe(400);
    });

    it('are shown to those who may see the image', async () => {
      const url = await address({ width: 70 });
      const nobody = server.as();
      expect((await served(nobody, url)).status).toBe(404);
      await server.admin.put(`/Image/${id}`, { visibleToPublicUsers: true });
      const answer = await served(nobody, url);
      expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'public, max-age=3600']);
      await server.admin.put(`/Image/${id}`, { visibleToPublicUsers: false });
      expect((await served(nobody, url)).status).toBe(404);
    });

    it('are hidden like the image, also by its path', async () => {
      const target = 'studio/i.png';
      const signed = createHmac('sha256', 'a secret of images').update(`w_10/${target}`).digest('base64url');
      const url = `/svc/image/${signed}/w_10/${target}`;
      expect((await served(server.admin, url)).status).toBe(200);
      const [image] = (await server.admin.get('/Image?name=i.png')).body.result;
      await server.admin.put(`/Image/${String(image.id)}`, { hidden: true });
      expect((await served(server.admin, url)).status).toBe(404);
    });

    it('are what the client takes, and are not sent again when it has them', async () => {
      const url = await address({ width: 80, format: 'auto' });
      const webp = await served(server.admin, url, { Accept: 'image/avif,image/webp,*/*' });
      expect([webp.headers['content-type'], webp.headers['vary']]).toEqual(['image/webp', 'Accept']);
      const png = await served(server.admin, url, { Accept: '*/*' });
      expect(png.headers['content-type']).toBe('image/png');
      const etag = String(webp.headers['etag']);
      expect(etag).not.toBe(png.headers['etag']);
      const again = await served(server.admin, url, { Accept: 'image/webp', 'If-None-Match': etag });
      expect([again.status, again.bytes.length]).toEqual([304, 0]);
      const head = await server.admin.send('HEAD', url, Buffer.alloc(0), {});
      expect([head.status, head.headers['content-length'], head.text]).toEqual([200, String(png.bytes.length), '']);
    });

    it('are others when the image has other content', async () => {
      const other = await server.admin.create('Image', { name: 'o.png', base64Data: picture.toString('base64') });
      const url = String((await server.admin.post(`/Image/${other}/getImageUrl`, { width: 10 })).body.result);
      const before = await served(server.admin, url);
      const turned = await sharp(picture).rotate(90).png().toBuffer();
      await server.admin.put(`/Image/${other}`, { base64Data: turned.toString('base64') });
      const after = await served(server.admin, url);
      expect(after.headers['etag']).not.toBe(before.headers['etag']);
      expect(await sharp(after.bytes).metadata()).toMatchObject({ width: 10, height: 20 });
    });
  });
});
