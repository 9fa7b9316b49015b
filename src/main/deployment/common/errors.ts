/** Why a deployment was refused, or has failed, in words for who asked for it. */
export class DeploymentError extends Error {
  override readonly name = 'DeploymentError';

  constructor(
    message: string,
    /** `source`: the export is wrong; `request`: what was asked for is. */
    readonly kind: 'source' | 'request' = 'source',
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** An import that has not begun, as its source, or this instance, is not fit for it; answered as a result (docs/interface/deployment.md 3.1). */
export class NotStarted extends Error {
  override readonly name = 'NotStarted';

  constructor(
    readonly title: string,
    message: string,
  ) {
    super(message);
  }
}
