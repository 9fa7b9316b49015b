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

  it('is told from others by its first bytes at once, whatever they are', async () => {
    const comments = await uploaded(server.admin, file('comments.svg', '<!---->'.repeat(500)));
    expect(await objectOf(server.admin, comments)).toMatchObject({ width: null });
    const svg =
      '<?xml version="1.0"?><!-- a --><!-- b -->\n<svg xmlns="http://www.w3.org/2000/svg" width="9" height="8"/>';
    expect(await objectOf(server.admin, await uploaded(server.admin, file('c.svg', svg)))).toMatchObject({ width: 9 });
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

  it('has the size in which it is shown, and what EXIF says of it', async () => {
    const turned = await sharp(png)
      .jpeg()
      .withMetadata({ orientation: 6, density: 72 })
      .withExifMerge({
        IFD0: { Make: 'Maker', Model: 'M 1', XResolution: '72/1', ResolutionUnit: '2' },
        IFD2: {
          ExposureTime: '1/125',
          FNumber: '28/10',
          ISOSpeedRatings: '200',
          DateTimeOriginal: '2024:05:06 07:08:09',
        },
        IFD3: {
          GPSLatitudeRef: 'N',
          GPSLatitude: '54/1 59/1 2280/100',
          GPSLongitudeRef: 'W',
          GPSLongitude: '1/1 54/1 51/1',
        },
      })
      .toBuffer();
    const image = await objectOf(server.admin, await uploaded(server.admin, file('turned.jpg', turned)));
    expect(image).toMatchObject({ width: 20, height: 30, orientation: 6 });
    expect(JSON.parse(String(image['exifIFD0Data']))).toMatchObject({
      Make: 'Maker',
      Model: 'M 1',
      Orientation: 'Right side, top (Rotate 90 CW)',
      'X Resolution': '72 dots per inch',
    });
    expect(JSON.parse(String(image['exifSubIFDData']))).toMatchObject({
      'Exposure Time': '1/125 sec',
      'F-Number': 'f/2.8',
      'ISO Speed Ratings': '200',
      'Date/Time Original': '2024:05:06 07:08:09',
    });
    expect(JSON.parse(String(image['gpsData']))).toMatchObject({
      'GPS Latitude': `54° 59' 22.8"`,
      'GPS Longitude': `-1° 54' 51"`,
    });
  });

  it('of any format that is read has its size', async () => {
    const image = sharp(png);
    const frames = await sharp(Buffer.alloc(12 * 8 * 3 * 3, 90), {
      raw: { width: 12, height: 24, channels: 3, pageHeight: 8 },
    })
      .gif({ loop: 0 })
      .toBuffer();
    expect(
      await sizesOf(server, [
        ['a.webp', await image.webp().toBuffer()],
        ['a.gif', await image.gif().toBuffer()],
        ['a.tiff', await image.tiff().toBuffer()],
        ['a.avif', await image.avif().toBuffer()],
        ['moving.gif', frames],
        ['a.svg', Buffer.from('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"/>')],
      ]),
    ).toEqual(['30x20', '30x20', '30x20', '30x20', '12x8', '30x20']);
  });

  it('is known by what it has become by appending', async () => {
    const half = Math.floor(png.length / 2);
    const id = await server.admin.create('Image', {
      name: 'b.png',
      base64Data: png.subarray(0, half).toString('base64'),
    });
    await server.admin.post(`/svc/rest/Image/${id}/appendContent`, {
      content: png.subarray(half).toString('base64'),
      encoding: 'base64',
    });
    expect(await objectOf(server.admin, id)).toMatchObject({ width: 30, height: 20 });
  });
});

async function sizesOf(server: TestServer, files: readonly (readonly [string, Buffer])[]): Promise<string[]> {
  const sizes: string[] = [];
  for (const [name, bytes] of files) {
    const { type, width, height } = await objectOf(server.admin, await uploaded(server.admin, file(name, bytes)));
    sizes.push(type === 'Image' ? `${String(width)}x${String(height)}` : String(type));
  }
  return sizes;
}
