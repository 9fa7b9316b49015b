import { choice, group, integer, multiChoice, password } from '../../setting.js';

export const imageSettings = group('application/Images', {
  'application.images.maxpixels': integer(
    100,
    'Largest image of which others are made: millions of pixels, of all its frames',
    { min: 1, max: 4000 },
  ),
  'application.images.maxframes': integer(500, 'An image with more frames becomes one that does not move', {
    min: 1,
    max: 100_000,
  }),
  'application.images.svg.maxsize': integer(2048, 'Largest SVG that is drawn (KB)', { min: 1, max: 65_536 }),
  'application.images.time': integer(20, 'Longest time that making an image may take (s)', { min: 1, max: 600 }),
  'application.images.thumbnails.format': choice(
    'png',
    ['png', 'webp', 'jpeg', 'avif'],
    'Format of thumbnails that are made from now on; webp is the smallest that is made as fast',
  ),
  'application.images.thumbnails.quality': integer(80, 'Quality of thumbnails in webp, jpeg and avif', {
    min: 1,
    max: 100,
  }),
  'application.images.thumbnails.wait': integer(
    5000,
    'Longest time a request waits for thumbnails that are not there yet (ms); 0: it does not wait',
    { min: 0, max: 60_000 },
  ),
  'application.images.url.secret': password('', 'Secret that signs addresses below /svc/image/; empty: there are none'),
  'application.images.url.maxsize': integer(4096, 'Longest side of images at such addresses (pixels)', {
    min: 16,
    max: 16_383,
  }),
  'application.images.url.formats': multiChoice(
    ['webp'],
    'Formats that such addresses with the format auto may answer with when the client takes them: webp, avif',
    { among: ['webp', 'avif'] },
  ),
  'application.images.url.quality': integer(80, 'Quality of images at such addresses that say none', {
    min: 1,
    max: 100,
  }),
  'application.images.url.maxage': integer(
    3600,
    'How long clients may keep an image of such an address without asking (s); 0: they ask each time',
    { min: 0 },
  ),
  'application.images.cache.size': integer(
    512,
    'Disk space for images of such addresses, in files.path (MB); 0: none is kept',
    { min: 0, max: 1_048_576 },
  ),
});
