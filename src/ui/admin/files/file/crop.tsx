/** Cuts a part out of an image, by the server's method `crop` (docs/interface/media.md 2.3): exact pixels of the image as it is shown. */
import { type ReactNode, useRef, useState } from 'react';
import ReactCrop, { type PercentCrop } from 'react-image-crop';
import 'react-image-crop/dist/ReactCrop.css';
import { Button, Notice } from '../../../common/parts.js';
import { RefusedError } from '../../../common/request.js';
import { useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { call, remove, type Entity } from '../../server/rest.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { filesTexts } from '../../texts/files.js';
import { filePlace } from '../places.js';
import { shownAddress, type Entry } from '../tree-server.js';

const RATIOS = { free: undefined, '1:1': 1, '4:3': 4 / 3, '3:2': 3 / 2, '16:9': 16 / 9 } as const;
type Ratio = keyof typeof RATIOS;
const isRatio = (name: string): name is Ratio => Object.hasOwn(RATIOS, name);

export function Crop(props: {
  readonly entry: Entry;
  readonly entity: Entity;
  readonly onChanged: () => void;
}): ReactNode {
  const { entry, entity, onChanged } = props;
  const { t } = useAreaTexts(filesTexts);
  const size = { width: Number(entity['width']), height: Number(entity['height']) };
  const [crop, setCrop] = useState<PercentCrop>({ unit: '%', x: 10, y: 10, width: 80, height: 80 });
  const [ratio, setRatio] = useState<Ratio>('free');
  const [made, setMade] = useState<{ readonly id: string; readonly name: string }>();
  const [replaced, setReplaced] = useState(false);
  const image = useRef<HTMLImageElement>(null);
  const { busy, problem, run } = useWork();
  const pixels = pixelsOf(crop, size);
  const cut = async (): Promise<{ readonly id: string; readonly name: string }> => {
    setMade(undefined);
    setReplaced(false);
    const result = await call<{ readonly id: string; readonly name: string }>(`Image/${entry.id}/crop`, pixels);
    if (result === undefined) throw new RefusedError(422, t('noCrop'), new Set());
    return result;
  };
  const choose = (next: Ratio): void => {
    setRatio(next);
    const aspect = RATIOS[next];
    if (aspect !== undefined) setCrop(fitting(aspect, size));
  };
  return (
    <div className="crop">
      <Trouble problem={problem} />
      {made === undefined ? null : (
        <Notice kind="good">
          {t('cropMade')} <a href={filePlace(made.id)}>{made.name}</a>
        </Notice>
      )}
      {replaced ? <Notice kind="good">{t('cropReplaced')}</Notice> : null}
      <div className="bar">
        <label>
          {t('ratio')}{' '}
          <select
            value={ratio}
            onChange={(event) => {
              if (isRatio(event.target.value)) choose(event.target.value);
            }}
          >
            {Object.keys(RATIOS).map((name) => (
              <option key={name} value={name}>
                {name === 'free' ? t('free') : name}
              </option>
            ))}
          </select>
        </label>
        {(['offsetX', 'offsetY', 'width', 'height'] as const).map((key) => (
          <label key={key}>
            {t(key)}{' '}
            <input
              type="number"
              min={key === 'width' || key === 'height' ? 1 : 0}
              max={key === 'offsetX' || key === 'width' ? size.width : size.height}
              value={pixels[key]}
              onChange={(event) => {
                setRatio('free');
                setCrop(percentOf({ ...pixels, [key]: Math.max(0, Math.round(Number(event.target.value))) }, size));
              }}
            />
          </label>
        ))}
      </div>
      <ReactCrop
        crop={crop}
        {...(RATIOS[ratio] === undefined ? {} : { aspect: RATIOS[ratio] })}
        keepSelection
        ruleOfThirds
        onChange={(_, percent) => {
          setCrop(percent);
        }}
        ariaLabels={{
          cropArea: t('cropArea'),
          nwDragHandle: t('corner', { place: '↖' }),
          nDragHandle: t('corner', { place: '↑' }),
          neDragHandle: t('corner', { place: '↗' }),
          eDragHandle: t('corner', { place: '→' }),
          seDragHandle: t('corner', { place: '↘' }),
          sDragHandle: t('corner', { place: '↓' }),
          swDragHandle: t('corner', { place: '↙' }),
          wDragHandle: t('corner', { place: '←' }),
        }}
      >
        <img ref={image} src={shownAddress(entity)} alt={entry.name.slice(0, 200)} />
      </ReactCrop>
      <div className="row crop-actions">
        <Button
          kind="main"
          disabled={busy || pixels.width === 0 || pixels.height === 0}
          onClick={() => {
            void run(async () => {
              setMade(await cut());
              onChanged();
            });
          }}
        >
          {t('cropNew')}
        </Button>
        <Button
          disabled={busy || pixels.width === 0 || pixels.height === 0}
          onClick={() => {
            void run(async () => {
              const { id } = await cut();
              // The image keeps its id, its name and its rights; only its content is another.
              await call(`Image/${id}/copyFileContents`, { target: entry.id });
              await remove(`Image/${id}`);
              setReplaced(true);
              onChanged();
            });
          }}
        >
          {t('cropReplace')}
        </Button>
      </div>
    </div>
  );
}

interface Size {
  readonly width: number;
  readonly height: number;
}

interface Pixels extends Size {
  readonly offsetX: number;
  readonly offsetY: number;
}

/** The part in pixels of the image, within it. */
function pixelsOf({ x, y, width, height }: PercentCrop, size: Size): Pixels {
  const offsetX = Math.min(size.width - 1, Math.round((x * size.width) / 100));
  const offsetY = Math.min(size.height - 1, Math.round((y * size.height) / 100));
  return {
    offsetX,
    offsetY,
    width: Math.min(size.width - offsetX, Math.round((width * size.width) / 100)),
    height: Math.min(size.height - offsetY, Math.round((height * size.height) / 100)),
  };
}

function percentOf({ offsetX, offsetY, width, height }: Pixels, size: Size): PercentCrop {
  const x = Math.min(offsetX, size.width - 1);
  const y = Math.min(offsetY, size.height - 1);
  return {
    unit: '%',
    x: (100 * x) / size.width,
    y: (100 * y) / size.height,
    width: (100 * Math.min(Math.max(1, width), size.width - x)) / size.width,
    height: (100 * Math.min(Math.max(1, height), size.height - y)) / size.height,
  };
}

/** The largest part with these sides, in the middle. */
function fitting(aspect: number, size: Size): PercentCrop {
  const width = Math.min(size.width, size.height * aspect);
  const height = width / aspect;
  return percentOf({ offsetX: (size.width - width) / 2, offsetY: (size.height - height) / 2, width, height }, size);
}
