/** How long a run keeps its context when nothing of it runs. */
import type { Room } from './isolates/room.js';

/** A run that goes on keeps it between two scripts (ms); what waits for longer gives others the isolate. */
const LINGERS = 20;

export class Stay {
  #holds = 0;
  #lapse: NodeJS.Timeout | undefined;

  /** `lingers`: more scripts are likely to follow. `letGo`: somebody has let go of it. `end`: nobody needs it, unless something runs. */
  constructor(
    private readonly lingers: () => boolean,
    private readonly letGo: () => void,
    private readonly end: () => void,
  ) {}

  /** Until the answer is called, and for as long as others hold it. */
  hold(): () => void {
    this.#holds++;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#holds--;
      if (this.#holds === 0) this.letGo();
    };
  }

  /** Something runs. */
  begin(): void {
    clearTimeout(this.#lapse);
    this.#lapse = undefined;
  }

  /** Nothing runs any more. */
  rest(room: Room | undefined): void {
    this.begin();
    if (this.#holds === 0 && !this.lingers()) {
      this.end();
      return;
    }
    room?.place.rest();
    if (this.#holds === 0) {
      this.#lapse = setTimeout(() => {
        if (this.#holds === 0) this.end();
      }, LINGERS);
    }
  }
}
