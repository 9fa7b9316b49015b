/** Archives between the browser and the server (docs/interface/deployment.md 7). */
import { RefusedError, send } from '../../common/request.js';

/** Sends an archive, or the address of one. `fetch` tells nothing of how much of a body was sent. Throws `RefusedError`. */
export function upload(form: FormData, onSent: (percent: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', 'deploy');
    request.upload.onprogress = ({ loaded, total, lengthComputable }) => {
      if (lengthComputable) onSent(Math.floor((100 * loaded) / total));
    };
    request.onload = () => {
      if (request.status < 300) resolve();
      else reject(new RefusedError(request.status, messageOf(request.responseText), new Set()));
    };
    request.onerror = () => {
      reject(new RefusedError(0, '', new Set()));
    };
    request.send(form);
  });
}

function messageOf(text: string): string {
  try {
    const body = JSON.parse(text) as { readonly error?: string; readonly message?: string };
    return body.error ?? body.message ?? text;
  } catch {
    return text;
  }
}

/**
 * Has the server export, and gives the archive to the browser as a file; its size in bytes. The page would be lost if the browser
 * went to the address, and the server refused. Throws `RefusedError`.
 */
export async function download(
  query: Readonly<Record<string, string>>,
  name: string,
  onReceived: (bytes: number) => void,
): Promise<number> {
  const response = await send(`deploy?${new URLSearchParams(query).toString()}`, {
    method: 'GET',
    headers: { Accept: '*/*' },
  });
  let received = 0;
  const counted = response.body?.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(piece, out) {
        received += piece.byteLength;
        onReceived(received);
        out.enqueue(piece);
      },
    }),
  );
  const url = URL.createObjectURL(await new Response(counted ?? null).blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser reads it from now on.
  setTimeout(() => {
    URL.revokeObjectURL(url);
  }, 60_000);
  return received;
}
