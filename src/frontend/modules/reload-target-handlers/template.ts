/** `template:selector`: what the server makes of a `<template>` and the result stands behind it, in the place of what stood there before. */
import type { Handler } from '../../follow.js';

export const handle: Handler['handle'] = async (value, { address, begin, outcome, parseHtml }) => {
  const { status, result } = outcome;
  for (const template of document.querySelectorAll<HTMLElement>(`template:is(${value})`)) {
    const id = template.dataset['svcId'];
    if (id === undefined) continue;
    const response = await fetch(address(`svc/html/${id}`), {
      method: 'POST',
      headers: { Accept: 'text/html', 'Content-Type': 'application/json' },
      body: JSON.stringify({ status, data: result }),
    });
    if (!response.ok) continue;
    const made = parseHtml(await response.text());
    const elements = [...made.children].filter((one): one is HTMLElement => one instanceof HTMLElement);
    for (const before of document.querySelectorAll(`[data-svc-template-id="${CSS.escape(id)}"]`)) before.remove();
    template.after(made);
    for (const one of elements) begin(one);
  }
};
