/** Thumbnails of images: made when they are read, once, and kept like their original (contract, File and Folder; docs/interface/media.md 2.2). */
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { allow } from '../support/permissions.js';
import { file, objectOf, served, until, uploaded } from '../support/files.js';
import { TestServer } from '../support/server.js';

interface Image {
  readonly id: string;
  readonly name: string;
  readonly path: string;
  readonly type: string;
}

describe('thumbnails', () => {
  let server: TestServer;
  let photo: Buffer;
  beforeAll(async () => {
    server = await TestServer.start();
    photo = await sharp({ create: { width: 800, height: 400, channels: 3, background: 'green' } })
      .jpeg()
      .toBuffer();
  });
  afterAll(() => server.stop());

  const thumbnailsOf = async (id: string, client: Client = server.admin): Promise<Record<string, Image | null>> => {
    const { tnSmall = null, tnMid = null } = (await objectOf(client, id, 'Image')) as Record<string, Image | null>;
    return { tnSmall, tnMid };
  };

  it('are made by the request that reads them first, and are the same from then on', async () => {
    const id = await uploaded(server.admin, file('photo.jpg', photo));
    const { tnSmall, tnMid } = await thumbnailsOf(id);
    expect(tnSmall).toMatchObject({ type: 'Image', name: 'photo.jpg_thumb_100x50' });
    expect(tnMid).toMatchObject({ type: 'Image', name: 'photo.jpg_thumb_300x150' });
    expect(await thumbnailsOf(id)).toEqual({ tnSmall, tnMid });
    const small = await objectOf(server.admin, tnSmall?.id ?? '');
    expect(small).toMatchObject({
      isThumbnail: true,
      width: 100,
      height: 50,
      contentType: 'image/png',
      path: '/._svc_thumbnails/._svc_uploads/photo.jpg_thumb_100x50',
      tnSmall: null,
      tnMid: null,
    });
    const { bytes } = await served(server.admin, String(small['path']));
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'png', width: 100, height: 50 });
  });

  const servedTo = async (client: Client, id: string): Promise<Awaited<ReturnType<typeof served>>> =>
    served(client, String((await objectOf(server.admin, id))['path']));

  const shown = async (client: Client, id: string): Promise<number> => (await client.get(`/Image/${id}`)).status;

  it('are made once, however many ask at the same time', async () => {
    const id = await uploaded(server.admin, file('asked.jpg', photo));
    const answers = await Promise.all(Array.from({ length: 20 }, () => thumbnailsOf(id)));
    expect(new Set(answers.map(({ tnSmall }) => tnSmall?.id)).size).toBe(1);
    expect((await server.admin.get(`/Image/${id}/thumbnails`)).body.result_count).toBe(2);
  });

  it('is answered as a property of its own', async () => {
    const id = await uploaded(server.admin, file('alone.jpg', photo));
    expect((await server.admin.get(`/Image/${id}/tnSmall`)).body.result).toMatchObject({
      name: 'alone.jpg_thumb_100x50',
    });
  });

  it('are in lists, and with images that other objects lead to', async () => {
    const folder = await server.admin.create('Folder', { name: 'album' });
    const images = [];
    for (let i = 0; i < 5; i++)
      images.push(
        await server.admin.create('Image', {
          name: `${String(i)}.jpg`,
          parent: folder,
          base64Data: photo.toString('base64'),
        }),
      );
    const answer = await server.admin.get(`/Folder/${folder}/ui?_outputReductionDepth=3`);
    const nested = answer.body.result.images as Record<string, Image | null>[];
    expect(nested.map(({ tnSmall }) => tnSmall?.name).sort()).toEqual(
      images.map((_, i) => `${String(i)}.jpg_thumb_100x50`),
    );
    const list = (await server.admin.get(`/Image/public?parent=${folder}&isThumbnail=false`)).body.result as Record<
      string,
      Image | null
    >[];
    expect(list.map(({ tnMid }) => tnMid?.path).sort()).toEqual(
      images.map((_, i) => `/._svc_thumbnails/album/${String(i)}.jpg_thumb_300x150`),
    );
  });

  it('are seen, changed and deleted by those who may do that with the original', async () => {
    await allow(server.admin, 'Image/_id', 'user', ['GET', 'PUT', 'DELETE']);
    await allow(server.admin, 'Image/_id', 'anonymous', ['GET']);
    await allow(server.admin, 'Image/_id/_All', 'user', ['GET']);
    const userId = await server.admin.create('User', { name: 'reader', password: 'reader-1' });
    const reader = server.as('reader', 'reader-1');
    const nobody = server.as();
    const id = await uploaded(server.admin, file('rights.jpg', photo));
    const { tnSmall } = await thumbnailsOf(id);
    const small = tnSmall?.id ?? '';
    expect([await shown(reader, small), await shown(nobody, small)]).toEqual([404, 404]);
    const grant = await server.admin.create('Security', { sourceId: userId, targetId: id, allowed: ['read'] });
    expect([await shown(reader, small), await shown(nobody, small)]).toEqual([200, 404]);
    expect((await reader.put(`/Image/${small}`, { contentType: 'image/gif' })).status).toBe(403);
    await server.admin.delete(`/Security/${grant}`);
    expect(await shown(reader, small)).toBe(404);
    await server.admin.put(`/Image/${id}`, { visibleToPublicUsers: true, visibleToAuthenticatedUsers: true });
    expect([await shown(reader, small), await shown(nobody, small)]).toEqual([200, 200]);
    expect((await servedTo(nobody, small)).status).toBe(200);
    // A thumbnail has no flags of its own, and no rights.
    await server.admin.put(`/Image/${small}`, { visibleToPublicUsers: false });
    expect(await shown(nobody, small)).toBe(200);
    const own = { sourceId: userId, targetId: small, allowed: ['read', 'write'] };
    expect((await server.admin.post('/Security', own)).status).toBe(422);
    await server.admin.put(`/Image/${id}`, { visibleToPublicUsers: false, visibleToAuthenticatedUsers: false });
    expect([await shown(reader, small), await shown(nobody, small)]).toEqual([404, 404]);
    expect((await servedTo(nobody, small)).status).toBe(404);
    await server.admin.put(`/Image/${id}`, { owner: userId });
    expect(await objectOf(reader, small, 'Image')).toMatchObject({ owner: { id: userId } });
    await server.admin.put(`/Image/${id}`, { owner: null });
    expect(await shown(reader, small)).toBe(404);
  });

  it('are made for readers who may not write', async () => {
    await server.admin.create('User', { name: 'guest', password: 'guest-1' });
    const id = await uploaded(server.admin, file('guest.jpg', photo));
    await server.admin.put(`/Image/${id}`, { visibleToAuthenticatedUsers: true });
    const guest = server.as('guest', 'guest-1');
    expect((await thumbnailsOf(id, guest)).tnSmall).toMatchObject({ name: 'guest.jpg_thumb_100x50' });
  });

  it('are called like their original, and go with it', async () => {
    const id = await uploaded(server.admin, file('old.jpg', photo));
    const { tnSmall } = await thumbnailsOf(id);
    await server.admin.put(`/Image/${id}`, { name: 'new.jpg' });
    const renamed = (await thumbnailsOf(id)).tnSmall;
    expect(renamed).toMatchObject({ id: tnSmall?.id, name: 'new.jpg_thumb_100x50' });
    expect((await servedTo(server.admin, renamed?.id ?? '')).status).toBe(200);
    await server.admin.delete(`/Image/${id}`);
    expect(await shown(server.admin, tnSmall?.id ?? '')).toBe(404);
  });

  it('are made anew of other content', async () => {
    const id = await uploaded(server.admin, file('changes.jpg', photo));
    const before = (await thumbnailsOf(id)).tnSmall;
    const other = await sharp(photo).resize(200, 200, { fit: 'fill' }).png().toBuffer();
    await server.admin.put(`/Image/${id}`, { base64Data: other.toString('base64') });
    const after = (await thumbnailsOf(id)).tnSmall;
    expect(after?.name).toBe('changes.jpg_thumb_100x100');
    expect(await shown(server.admin, before?.id ?? '')).toBe(404);
    expect((await server.admin.get(`/Image/${id}/thumbnails`)).body.result_count).toBe(2);
  });

  it('go at once with the content they were made of, whoever replaces that', async () => {
    const author = await server.admin.create('User', { name: 'author', password: 'author-1' });
    const id = await uploaded(server.admin, file('redacted.jpg', photo));
    await server.admin.create('Security', { sourceId: author, targetId: id, allowed: ['read', 'write'] });
    const { tnSmall } = await thumbnailsOf(id);
    expect((await servedTo(server.admin, tnSmall?.id ?? '')).status).toBe(200);
    const input = { base64Data: (await sharp(photo).negate().png().toBuffer()).toString('base64') };
    expect((await server.as('author', 'author-1').put(`/Image/${id}`, input)).status).toBe(200);
    expect(await shown(server.admin, tnSmall?.id ?? '')).toBe(404);
  });

  it('go when they are taken from their original', async () => {
    const id = await uploaded(server.admin, file('taken.jpg', photo));
    const { tnSmall, tnMid } = await thumbnailsOf(id);
    expect((await server.admin.put(`/Image/${id}`, { thumbnails: [tnMid?.id] })).status).toBe(200);
    expect([await shown(server.admin, tnSmall?.id ?? ''), await shown(server.admin, tnMid?.id ?? '')]).toEqual([
      404, 200,
    ]);
  });

  it('are a hundred sizes at most of those that somebody names', async () => {
    const small = await sharp(photo).resize(8, 4).png().toBuffer();
    const id = await uploaded(server.admin, file('sizes.png', small));
    const made = async (width: number): Promise<number> =>
      (await server.admin.post(`/Image/${id}/getThumbnail`, { width, height: 5 })).status;
    for (let i = 0; i < 100; i += 20) {
      const all = await Promise.all(Array.from({ length: 20 }, (_, j) => made(i + j + 1)));
      expect(new Set(all)).toEqual(new Set([200]));
    }
    expect([await made(1), await made(101)]).toEqual([200, 422]);
    expect((await thumbnailsOf(id)).tnSmall).not.toBe(null);
  });

  it('are not made of what is no image, and not tried again until it is one', async () => {
    const id = await uploaded(server.admin, file('broken.png', photo.subarray(200)));
    const image = await server.admin.create('Image', {
      name: 'broken.png',
      base64Data: photo.subarray(200).toString('base64'),
    });
    expect(await thumbnailsOf(image)).toEqual({ tnSmall: null, tnMid: null });
    expect(await objectOf(server.admin, image)).toMatchObject({
      thumbnailCreationFailed: true,
      isCreatingThumb: false,
    });
    await server.admin.put(`/Image/${image}`, { base64Data: photo.toString('base64') });
    expect((await thumbnailsOf(image)).tnSmall).toMatchObject({ name: 'broken.png_thumb_100x50' });
    expect(await objectOf(server.admin, id)).toMatchObject({ type: 'File' });
  });

  it('have the size that a property of the schema says, and fill it when they are cropped', async () => {
    await server.admin.create('SchemaNode', {
      name: 'Photo',
      inheritedTraits: ['Image'],
      schemaProperties: [
        { name: 'banner', propertyType: 'Thumbnail', format: '120, 120, true' },
        { name: 'wide', propertyType: 'Thumbnail', format: '200,50' },
        { name: 'large', propertyType: 'Thumbnail', format: '2000, 2000' },
      ],
    });
    const id = await server.admin.create('Photo', { name: 'p.jpg', base64Data: photo.toString('base64') });
    const { banner, wide, large } = (await objectOf(server.admin, id, 'Photo')) as Record<string, Image>;
    expect([banner?.name, wide?.name, large?.name]).toEqual([
      'p.jpg_thumb_120x120',
      // As `tnSmall`, which is another one.
      expect.stringMatching(/^p_.*\.jpg_thumb_100x50$/),
      'p.jpg_thumb_800x400',
    ]);
    expect(await objectOf(server.admin, banner?.id ?? '')).toMatchObject({ width: 120, height: 120 });
  });

  it('come later where nobody waits for them', async () => {
    await server.reload({ 'application.images.thumbnails.wait': 0 });
    const id = await uploaded(server.admin, file('later.jpg', photo));
    expect((await thumbnailsOf(id)).tnSmall).toBe(null);
    await until(async () => (await thumbnailsOf(id)).tnSmall !== null, 'the thumbnail is there');
    await server.reload({ 'application.images.thumbnails.wait': 1 });
    const large = await sharp(photo).resize(3000, 2000, { fit: 'fill' }).jpeg().toBuffer();
    const slow = await uploaded(server.admin, file('slow.jpg', large));
    expect((await thumbnailsOf(slow)).tnSmall).toBe(null);
    await until(async () => (await thumbnailsOf(slow)).tnSmall !== null, 'the thumbnail is there');
    expect(await objectOf(server.admin, slow)).toMatchObject({ isCreatingThumb: false });
    await server.reload({ 'application.images.thumbnails.wait': 5000, 'application.images.thumbnails.format': 'webp' });
    const webp = await uploaded(server.admin, file('later.webp', photo));
    const small = (await thumbnailsOf(webp)).tnSmall;
    expect(await objectOf(server.admin, small?.id ?? '')).toMatchObject({ contentType: 'image/webp' });
    expect((await sharp((await servedTo(server.admin, small?.id ?? '')).bytes).metadata()).format).toBe('webp');
  });
});
