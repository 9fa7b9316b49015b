/** A login with another provider that ends at `error_uri`; the message is for the log and holds no secret. */
export class OAuthRefusal extends Error {
  override readonly name = 'OAuthRefusal';
}
