/** Milliseconds of work at a stretch; other requests wait no longer than this and one more piece. */
const SLICE = 3;

/** Divides a long job, so that other requests get their turn: the job calls `breathe` after every small piece. */
export class Slices {
  private began = performance.now();

  /** Lets other work run when this job has had its time; undefined while there is no need to wait. */
  breathe(): Promise<void> | undefined {
    if (performance.now() - this.began < SLICE) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        this.began = performance.now();
        resolve();
      });
    });
  }
}
