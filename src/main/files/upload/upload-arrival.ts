import { HttpError, type Exchange } from '../../http/index.js';
import { Arrival } from '../../request/index.js';
import type { Actor } from '../../schema/index.js';
import type { FilesContext } from '../context.js';

/**
 * A request that brings content. No permission is asked for: the rights on folders and files decide. It is its sender's all the time:
 * who is somebody else when the content is there, or nobody any more, has to log in.
 */
export class UploadArrival extends Arrival {
  #sender: Actor | undefined;

  constructor(
    exchange: Exchange,
    private readonly context: FilesContext,
    /** Whether the rights on what is written decide about those who are not logged in, too. */
    private readonly forAll = false,
  ) {
    super(exchange);
  }

  find(): undefined {
    return undefined;
  }

  signature(): undefined {
    return undefined;
  }

  override admit(actor: Actor): void {
    this.#sender ??= actor;
    const may = this.forAll || actor.id !== undefined || this.context.config.get('uploadservlet.allowanonymousuploads');
    if (!may || actor.id !== this.#sender.id) throw new HttpError(401, 'Log in to upload files.');
  }
}
