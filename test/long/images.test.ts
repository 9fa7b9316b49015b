/** Images that are made to do harm, damaged ones, crashes, and what libvips and exiftool say of the same files. */
import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { file, objectOf, served, uploaded } from '../support/files.js';
import { damaged, hugePng, longGif } from '../support/image-bombs.js';
import { TestServer } from '../support/server.js';

const run = promisify(execFile);
const MB = 1024 * 1024;
const SECRET = 'the secret of the test';

function signed(options: string, id: string): string {
  const signature = createHmac('sha256', SECRET).update(`${options}/${id}`).digest('base64url');
  return `/svc/image/${signature}/${options}/${id}`;
}

async function isThere(program: string, argument: string): Promise<boolean> {
  return run(program, [argument]).then(
    () => true,
    () => false,
  );
}
const hasVips = await isThere('vipsthumbnail', '--help');
const hasExiftool = await isThere('exiftool', '-ver');
if (!hasVips)
  console.log('skipped: comparison of thumbnails with vipsthumbnail, which is not installed (libvips-tools)');
if (!hasExiftool)
  console.log('skipped: comparison of EXIF with exiftool, which is not installed (libimage-exiftool-perl)');

let server: TestServer;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-images-'));
  server = await TestServer.start({
    settings: { 'application.images.url.secret': SECRET, 'application.images.cache.size': 0 },
  });
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

async function resident(): Promise<number> {
  const status = await readFile(`/proc/${String(server.child.pid)}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024;
}

interface Seen {
  readonly tnSmall: { readonly id: string } | null;
  readonly tnMid: { readonly id: string } | null;
}
const seen = async (id: string): Promise<Seen> => (await objectOf(server.admin, id, 'Image')) as unknown as Seen;
const contentOf = async (id: string): Promise<Buffer> =>
  (await served(server.admin, String((await objectOf(server.admin, id))['path']))).bytes;

/** Something with shapes and colours, of many frequencies. */
async function picture(width: number, height: number): Promise<Buffer> {
  const pixels = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 3;
      pixels[at] = (x * 255) / width;
      pixels[at + 1] = 128 + 120 * Math.sin((x * y) / 9000);
      pixels[at + 2] = (x >> 5) % 2 === (y >> 5) % 2 ? 220 : 30;
    }
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 92 })
    .toBuffer();
}

describe('bombs', () => {
  it('of many pixels or frames take no memory, and nobody else waits', async () => {
    await uploaded(server.admin, file('warm.jpg', await picture(100, 100))).then(seen);
    const before = await resident();
    const png = await uploaded(server.admin, file('huge.png', hugePng(50_000)));
    expect(await seen(png)).toMatchObject({
      width: 50_000,
      height: 50_000,
      tnSmall: null,
      thumbnailCreationFailed: true,
    });
    const gif = await uploaded(server.admin, file('long.gif', longGif(100_000)));
    const { tnSmall } = await seen(gif);
    expect(await objectOf(server.admin, gif)).toMatchObject({ width: 1, height: 1 });
    expect(tnSmall).not.toBe(null);
    expect((await resident()) - before).toBeLessThan(400 * MB);
  });

  it('of SVG reach no other file, no other server and no end of memory', async () => {
    const asked: string[] = [];
    const stranger = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.end();
    }).listen(0, '127.0.0.1');
    await once(stranger, 'listening');
    const port = String((stranger.address() as AddressInfo).port);
    const secret = await uploaded(
      server.admin,
      file(
        'secret.png',
        await sharp(await picture(64, 64))
          .png()
          .toBuffer(),
      ),
    );
    const stored = (await readdir(join(server.folder, 'files'), { recursive: true })).find((name) =>
      name.includes(secret),
    );
    const link = (href: string): string => `<image xlink:href="${href}" href="${href}" width="64" height="64"/>`;
    const svg = (inside: string, head = ''): Buffer =>
      Buffer.from(
        `<?xml version="1.0"?>${head}<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="64" height="64">${inside}</svg>`,
      );
    const path = join(server.folder, 'files', String(stored));
    for (const [i, bytes] of [
      svg(link(`file://${path}`)),
      svg(link(path)),
      svg(link(path.split('/').slice(-1)[0] ?? '')),
      svg(link(`../${path.split('/').slice(-3).join('/')}`)),
      svg(link(`http://127.0.0.1:${port}/a.png`)),
      svg(
        `<style>@import url("http://127.0.0.1:${port}/a.css"); rect { fill: url(http://127.0.0.1:${port}/b.svg#c) }</style>`,
      ),
      svg(`<script>fetch("http://127.0.0.1:${port}/c")</script>`),
      svg('<text y="20">&x;</text>', '<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>'),
    ].entries()) {
      const id = await uploaded(server.admin, file(`linked${String(i)}.svg`, bytes));
      const { tnSmall } = await seen(id);
      if (tnSmall === null) continue;
      const { channels } = await sharp(await contentOf(tnSmall.id))
        .ensureAlpha()
        .stats();
      // Nothing was drawn.
      expect([i, channels[3]?.max ?? 0]).toEqual([i, 0]);
    }
    const many = Array.from(
      { length: 12 },
      (_, i) => `<!ENTITY e${String(i + 1)} "${`&e${String(i)};`.repeat(10)}">`,
    ).join('');
    const laughs = svg('<text>&e12;</text>', `<!DOCTYPE svg [<!ENTITY e0 "ha">${many}]>`);
    const uses = Array.from(
      { length: 30 },
      (_, i) => `<g id="u${String(i + 1)}">${`<use href="#u${String(i)}"/>`.repeat(10)}</g>`,
    );
    const nested = svg(`<rect id="u0" width="1" height="1"/>${uses.join('')}<use href="#u30"/>`);
    for (const bytes of [laughs, nested, svg('').subarray(0, 40)])
      await uploaded(server.admin, file('deep.svg', bytes)).then((id) => objectOf(server.admin, id));
    stranger.close();
    expect(asked).toEqual([]);
    expect(await resident()).toBeLessThan(900 * MB);
    server.assertAlive();
  });

  it('that are damaged end nothing, 300 times in each format', async () => {
    const small = sharp(await picture(48, 40));
    const moving = sharp(Buffer.alloc(20 * 60 * 3, 90), {
      raw: { width: 20, height: 60, channels: 3, pageHeight: 20 },
    });
    const formats: Record<string, Buffer> = {
      jpg: await small
        .clone()
        .withExifMerge({ IFD0: { Make: 'Maker' } })
        .jpeg()
        .toBuffer(),
      png: await small.clone().png().toBuffer(),
      webp: await small.clone().webp().toBuffer(),
      tiff: await small.clone().tiff().toBuffer(),
      avif: await small.clone().avif({ effort: 0 }).toBuffer(),
      gif: await moving.gif().toBuffer(),
      svg: Buffer.from(
        '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><rect width="20" height="9" fill="red"/><text y="20">Text</text></svg>',
      ),
    };
    for (const [name, image] of Object.entries(formats)) {
      const images = damaged(image, 300, 7);
      for (let at = 0; at < images.length; at += 100) {
        const parent = await server.admin.create('Folder', { name: `${name}${String(at)}` });
        const objects = images
          .slice(at, at + 100)
          .map((bytes, i) => ({ name: `${String(i)}.${name}`, parent, base64Data: bytes.toString('base64') }));
        const made = await server.admin.post('/Image', objects);
        expect(made.status).toBe(201);
        const statuses = await Promise.all(
          (made.body.result as string[]).map(async (id) => (await served(server.admin, signed('w_20', id))).status),
        );
        expect(statuses.filter((status) => status !== 200 && status !== 422)).toEqual([]);
        server.assertAlive();
      }
    }
    expect(await resident()).toBeLessThan(1000 * MB);
  });
});

it.skipIf(!hasVips)('thumbnails are those of vipsthumbnail', async () => {
  const photo = await sharp(await picture(1600, 1200))
    .withIccProfile('p3')
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer();
  const path = join(folder, 'photo.jpg');
  await writeFile(path, photo);
  const { tnSmall, tnMid } = await seen(await uploaded(server.admin, file('photo.jpg', photo)));
  for (const [size, made] of [
    [100, tnSmall],
    [300, tnMid],
  ] as const) {
    const theirs = join(folder, `tn${String(size)}.png`);
    await run('vipsthumbnail', [
      path,
      '-s',
      `${String(size)}x${String(size)}`,
      '--export-profile',
      'srgb',
      '-o',
      theirs,
    ]);
    const [a, b] = await Promise.all(
      [await contentOf(made?.id ?? ''), await readFile(theirs)].map((bytes) =>
        sharp(bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true }),
      ),
    );
    expect([a?.info.width, a?.info.height]).toEqual([b?.info.width, b?.info.height]);
    let sum = 0;
    for (const [i, value] of (a?.data ?? Buffer.alloc(0)).entries()) sum += (value - (b?.data[i] ?? 0)) ** 2;
    // Levels of 255, on average: nobody sees five.
    expect(Math.sqrt(sum / (a?.data.length ?? 1))).toBeLessThan(5);
  }
});

it.skipIf(!hasExiftool)('EXIF is what exiftool says', async () => {
  const photo = await sharp(await picture(60, 40))
    .jpeg()
    .toBuffer();
  const path = join(folder, 'exif.jpg');
  await writeFile(path, photo);
  const tags = {
    Make: 'Canon',
    Model: 'EOS 5D',
    Software: 'Firmware 1.2',
    DateTimeOriginal: '2021:03:04 05:06:07',
    ExposureTime: '1/250',
    FNumber: '5.6',
    ISO: '400',
    FocalLength: '85',
    Orientation: 'Rotate 90 CW',
    XResolution: '300',
    Artist: 'Ännie',
    LensModel: 'EF85mm',
    GPSLatitude: '48.137154',
    GPSLatitudeRef: 'N',
    GPSLongitude: '11.576124',
    GPSLongitudeRef: 'W',
    GPSAltitude: '519',
  };
  await run('exiftool', [
    '-q',
    '-overwrite_original',
    ...Object.entries(tags).map(([key, value]) => `-${key}=${value}`),
    path,
  ]);
  const { stdout } = await run('exiftool', ['-j', '-c', '%d° %d\' %.2f"', path]);
  const theirs = (JSON.parse(stdout) as Record<string, unknown>[])[0] ?? {};
  const image = await objectOf(server.admin, await uploaded(server.admin, file('exif.jpg', await readFile(path))));
  const ours = Object.assign(
    {},
    ...['exifIFD0Data', 'exifSubIFDData', 'gpsData'].map((key) => JSON.parse(String(image[key])) as object),
  ) as Record<string, string>;
  expect(image).toMatchObject({ orientation: 6, width: 40, height: 60 });
  expect([ours['Make'], ours['Model'], ours['Software'], ours['Artist'], ours['Lens Model']]).toEqual([
    theirs['Make'],
    theirs['Model'],
    theirs['Software'],
    theirs['Artist'],
    theirs['LensModel'],
  ]);
  expect(ours['Date/Time Original']).toBe(theirs['DateTimeOriginal']);
  expect(ours['Exposure Time']).toBe(`${String(theirs['ExposureTime'])} sec`);
  expect(ours['F-Number']).toBe(`f/${String(theirs['FNumber'])}`);
  expect(ours['ISO Speed Ratings'] ?? ours['Photographic Sensitivity']).toBe(String(theirs['ISO']));
  expect(ours['Orientation']).toContain(String(theirs['Orientation']));
  expect(ours['X Resolution']).toBe(`${String(theirs['XResolution'])} dots per inch`);
  const rounded = (text: string | undefined): string | undefined =>
    text?.replace(/[\d.]+(?="$)/, (seconds) => Number(seconds).toFixed(2));
  expect(`${String(rounded(ours['GPS Latitude']))} N`).toBe(theirs['GPSLatitude']);
  expect(`${String(rounded(ours['GPS Longitude'])).slice(1)} W`).toBe(theirs['GPSLongitude']);
});

describe('a server that ends suddenly', () => {
  it('has made each thumbnail once afterwards, and left nothing that is temporary', async () => {
    const photo = await picture(1200, 900);
    const ids = [];
    for (let i = 0; i < 20; i++) ids.push(await uploaded(server.admin, file(`c${String(i)}.jpg`, photo)));
    const asking = ids.map((id) => seen(id).catch(() => undefined));
    await Promise.race(asking);
    await server.end('SIGKILL');
    await Promise.all(asking);
    server = await TestServer.start({ folder: server.folder });
    for (const id of ids) {
      expect(await seen(id)).toMatchObject({
        tnSmall: { type: 'Image' },
        tnMid: { type: 'Image' },
        isCreatingThumb: false,
      });
      expect((await server.admin.get(`/Image/${id}/thumbnails`)).body.result_count).toBe(2);
    }
    expect(await readdir(join(server.folder, 'files', '._svc_media', 'tmp')).catch(() => [])).toEqual([]);
  });

  it('does not work again on content that has ended it twice', async () => {
    const id = await uploaded(server.admin, file('kills.jpg', await picture(50, 50)));
    await server.end('SIGKILL');
    const marks = join(server.folder, 'files', '._svc_media', 'running');
    await mkdir(marks, { recursive: true });
    await writeFile(join(marks, `${id}-1`), '++');
    server = await TestServer.start({ folder: server.folder });
    expect((await seen(id)).tnSmall).toBe(null);
    expect(await objectOf(server.admin, id)).toMatchObject({
      thumbnailCreationFailed: true,
      processingState: 'FAILED',
      processingMessage: expect.stringContaining('not tried again') as unknown,
    });
    await server.admin.put(`/Image/${id}`, { base64Data: (await picture(60, 60)).toString('base64') });
    expect(await seen(id)).toMatchObject({ tnSmall: { type: 'Image' }, processingState: null });
  });
});
