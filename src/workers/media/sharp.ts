/** The package for images as all threads of the process use it: what is set here it keeps once for all of them. */
import sharp from 'sharp';

// Threads are one for each image: with more, images that are made at the same time would get in each other's way.
sharp.concurrency(1);
sharp.cache(false);
// What libvips could read besides these is written by hardly anybody who tests it.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: [
    ...['Jpeg', 'Png', 'Nsgif', 'Webp', 'Tiff', 'Heif'].flatMap((format) => [
      `VipsForeignLoad${format}File`,
      `VipsForeignLoad${format}Buffer`,
    ]),
    // As bytes alone: by its path an SVG could name files beside it.
    'VipsForeignLoadSvgBuffer',
  ],
});

export default sharp;
