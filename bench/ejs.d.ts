/** What the bench uses of EJS, which comes without types. */
declare module 'ejs' {
  interface Options {
    readonly destructuredLocals?: readonly string[];
    readonly _with?: boolean;
  }
  const ejs: { compile(template: string, options?: Options): (data: Readonly<Record<string, unknown>>) => string };
  export default ejs;
}
