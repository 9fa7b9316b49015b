/** A worker whose work never ends. */
export default () => new Promise(() => undefined);
