/**
 * What a file looks like. Only what a browser shows without running anything: pictures as pictures (SVG runs no script there), sound and film,
 * PDF in the browser's viewer. HTML is shown as text.
 */
import { type ReactNode, useEffect, useState } from 'react';
import { useFormats } from '../../texts/index.js';
import type { Entity } from '../../server/rest.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { filesTexts } from '../../texts/files.js';
import { MarkdownFile } from './markdown.js';
import { thumbnailAddress } from '../list/thumbnails.js';
import { shownAddress, type Entry } from '../tree-server.js';

/** Larger pictures are shown as the thumbnail that the server makes. */
const LARGEST_PICTURE = 20 * 1024 * 1024;

/** Whether the content is text that people edit. */
export function isText(contentType: string): boolean {
  const type = contentType.replace(/;.*/, '').trim().toLowerCase();
  return (
    type.startsWith('text/') ||
    /[/+](json|xml)$/.test(type) ||
    /^application\/(javascript|ecmascript|typescript|x-sh|x-yaml|yaml|toml|sql|x-ndjson|x-httpd-php)$/.test(type) ||
    type === 'image/svg+xml'
  );
}

/** Whether a browser shows it and the server cuts it. */
export function canCrop({ contentType, width, height, type }: Entity & Readonly<Record<string, unknown>>): boolean {
  return (
    type !== 'File' &&
    /^image\/(png|jpeg|gif|webp|avif)$/.test(typeof contentType === 'string' ? contentType : '') &&
    typeof width === 'number' &&
    typeof height === 'number'
  );
}

export function Preview({ entry, entity }: { readonly entry: Entry; readonly entity: Entity }): ReactNode {
  const { t } = useAreaTexts(filesTexts);
  const { number } = useFormats();
  const { id, name, contentType, size = 0 } = entry;
  const type = contentType.replace(/;.*/, '').toLowerCase();
  const address = shownAddress(entity);
  const title = name.slice(0, 200);
  if (type.startsWith('image/')) {
    const shown = /^image\/(png|jpeg|gif|webp|avif|svg\+xml|bmp|x-icon)$/.test(type) && size <= LARGEST_PICTURE;
    const source = shown ? address : thumbnailAddress(entity['tnMid']);
    const { width, height } = entity as Entity & Readonly<Record<string, unknown>>;
    return (
      <figure className="file-preview">
        {source === undefined ? <p className="soft">{t('noPreview')}</p> : <img src={source} alt={title} />}
        {typeof width === 'number' && typeof height === 'number' ? (
          <figcaption className="soft">{t('pixels', { width: number(width), height: number(height) })}</figcaption>
        ) : null}
      </figure>
    );
  }
  if (type.startsWith('video/'))
    return (
      <div className="file-preview">
        {/* Who has uploaded it has brought no texts to it. */}
        <video controls preload="metadata" src={address} aria-label={title} />
      </div>
    );
  if (type.startsWith('audio/'))
    return (
      <div className="file-preview">
        <audio controls preload="metadata" src={address} aria-label={title} />
      </div>
    );
  if (type === 'application/pdf') return <Pdf address={address} title={title} />;
  if (type.includes('markdown')) return <MarkdownFile id={id} />;
  return <p className="soft">{t('noPreview')}</p>;
}

/** A PDF in the browser's viewer. What is at the address is looked at first: a frame would run what is HTML by now. */
function Pdf({ address, title }: { readonly address: string; readonly title: string }): ReactNode {
  const { t } = useAreaTexts(filesTexts);
  const [source, setSource] = useState<string>();
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    const aborter = new AbortController();
    let made: string | undefined;
    fetch(address, { signal: aborter.signal })
      .then(async (response) => {
        if (!response.ok) throw new Error(String(response.status));
        // Its own words about what it is do not count: as a PDF it is shown, or not at all.
        made = URL.createObjectURL(new Blob([await response.arrayBuffer()], { type: 'application/pdf' }));
        setSource(made);
      })
      .catch(() => {
        if (!aborter.signal.aborted) setFailed(true);
      });
    return () => {
      aborter.abort();
      if (made !== undefined) URL.revokeObjectURL(made);
    };
  }, [address]);
  if (failed) return <p className="soft">{t('noPreview')}</p>;
  if (source === undefined) return <p className="soft">{t('app.loading')}</p>;
  return <iframe className="pdf" src={source} title={title} />;
}
