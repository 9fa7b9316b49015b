/** `toast:text`: a text at the end of the page for a while, in an element of the class `svc-toast`. */
import type { Handler } from '../../follow.js';

const TIME = 5000;

export const handle: Handler['handle'] = (value, { fill, outcome }) => {
  const toast = document.createElement('div');
  toast.className = `svc-toast ${outcome.isSuccess ? 'svc-success' : 'svc-failure'}`;
  toast.setAttribute('role', outcome.isSuccess ? 'status' : 'alert');
  toast.textContent = fill(value);
  document.body.append(toast);
  window.setTimeout(() => {
    toast.remove();
  }, TIME);
};
