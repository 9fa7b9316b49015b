export type SameSite = 'Lax' | 'Strict' | 'None';

/** What cookies get that do not say otherwise (`httpservice.cookies.*`). */
export interface CookieDefaults {
  readonly httpOnly: boolean;
  readonly sameSite: SameSite;
  /** Also on answers to plain requests; those of HTTPS requests are `Secure` in any case. */
  readonly secure: boolean;
}
