/** Files are sent by themselves, before the action that names them by their ids. */
import { dispatch } from './listeners.js';
import { address } from './server.js';

/** Class of a `<progress>` in the same form that shows how far uploads are. */
const BAR = 'progress.svc-upload-progress';

/** Ids of the new files: one, or a list where several may be chosen; null: none was. Throws for an upload that fails. */
export async function uploadFiles(input: HTMLInputElement): Promise<string | null | readonly string[]> {
  const files = [...(input.files ?? [])];
  const total = files.reduce((sum, { size }) => sum + size, 0);
  const ids: string[] = [];
  let before = 0;
  for (const file of files) {
    ids.push(
      await upload(file, (loaded) => {
        tellProgress(input, Math.min(before + loaded, total), total, file.name);
      }),
    );
    before += file.size;
  }
  if (files.length > 0) tellProgress(input, total, total, files[files.length - 1]?.name ?? '');
  return input.multiple ? ids : (ids[0] ?? null);
}

/** `svc-upload-progress` bubbles from the input. */
function tellProgress(input: HTMLInputElement, loaded: number, total: number, file: string): void {
  dispatch(input, 'svc-upload-progress', { loaded, total, file });
  const bar = (input.form ?? input.parentElement)?.querySelector<HTMLProgressElement>(BAR);
  if (bar === null || bar === undefined) return;
  bar.max = Math.max(1, total);
  bar.value = loaded;
}

/** `fetch` tells nothing of what has left. */
function upload(file: File, progress: (loaded: number) => void): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', address('svc/upload'));
    request.upload.onprogress = ({ loaded }) => {
      progress(loaded);
    };
    request.onload = () => {
      if (request.status < 300) resolve(request.responseText.trim());
      else reject(new Error(`${file.name}: ${String(request.status)} ${messageIn(request.responseText)}`));
    };
    request.onerror = () => {
      reject(new Error(`${file.name}: the upload was broken off`));
    };
    const form = new FormData();
    form.append('file', file);
    request.send(form);
  });
}

function messageIn(text: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === 'string' ? message : '';
  } catch {
    return '';
  }
}
