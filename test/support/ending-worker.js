/** A worker whose thread ends with each task. */
export default () => process.exit(3);
