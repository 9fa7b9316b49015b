/** Which pages of other origins may read what (CorsSetting, docs/interface/security.md 11). */
export interface Origin {
  readonly id: string;
  readonly requestUri: string | null;
  readonly acceptedOrigins: string | null;
  readonly allowCredentials: string | null;
  readonly [key: string]: unknown;
}

/** What is read of them. */
export const SHOWN = [
  ...['id', 'type', 'requestUri', 'acceptedOrigins', 'allowMethods', 'allowHeaders', 'allowCredentials'],
  ...['exposeHeaders', 'maxAge'],
];
