/** What is known of images as soon as they have come, whatever door they came by (contract, File and Folder; docs/design/media.md 2). */
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { file, objectOf, uploaded } from '../support/files.js';
import { TestServer } from '../support/server.js';

describe('an image', () => {
  let server: TestServer;
  let png: Buffer;
  beforeAll(async () => {
    server = await TestServer.start();
    png = await sharp({ create: { width: 30, height: 20, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
  });
  afterAll(() => server.stop());

  it('has width and height when it is uploaded', async () => {
    const id = await uploaded(server.admin, file('red.png', png));
    expect(await objectOf(server.admin, id)).toMatchObject({ type: 'Image', width: 30, height: 20 });
  });

  it('has them when it came as base64, and others with other content', async () => {
    const input = { name: 'red.png', base64Data: png.toString('base64') };
    const id = await server.admin.create('Image', input);
    expect(await objectOf(server.admin, id)).toMatchObject({ type: 'Image', width: 30, height: 20 });
    const other = await sharp(png).resize(7, 5).jpeg().toBuffer();
    await server.admin.put(`/svc/rest/Image/${id}`, { imageData: other.toString('base64') });
    expect(await objectOf(server.admin, id)).toMatchObject({ width: 7, height: 5 });
    await server.admin.put(`/svc/rest/Image/${id}`, { base64Data: Buffer.from('no image').toString('base64') });
    expect(await objectOf(server.admin, id)).toMatchObject({ width: null, height: null });
  });
});
