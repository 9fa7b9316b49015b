/** `css:name`: the element has a class for a moment. */
import type { Handler } from '../../follow.js';

const TIME = 2000;

export const handle: Handler['handle'] = (value, { element }) => {
  const names = value.split(/[\s,]+/).filter((name) => name !== '');
  element.classList.add(...names);
  window.setTimeout(() => {
    element.classList.remove(...names);
  }, TIME);
};
