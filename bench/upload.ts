import { CREDENTIALS } from './server-process.js';

/** Fields of a file that everybody sees. */
export const PUBLIC = { visibleToPublicUsers: 'true' } as const;

/** Uploads a file as the administrator; its id. */
export async function upload(
  { url }: { readonly url: string },
  name: string,
  content: Blob,
  fields: Readonly<Record<string, string>> = PUBLIC,
): Promise<string> {
  const form = new FormData();
  for (const [key, value] of Object.entries(fields)) form.set(key, value);
  form.set('file', content, name);
  const answer = await fetch(`${url}/svc/upload`, { method: 'POST', headers: CREDENTIALS, body: form });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`the upload of ${name} answered ${String(answer.status)}: ${text.slice(0, 500)}`);
  return text;
}
