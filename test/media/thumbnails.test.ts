/** Thumbnails of images: made when they are read, once, and kept like their original (contract, File and Folder; docs/interface/media.md 2.2). */
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { file, objectOf, served, uploaded } from '../support/files.js';
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
});
