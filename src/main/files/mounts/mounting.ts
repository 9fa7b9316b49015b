/** Something that is mounted at a folder, while it is. */
export interface Mounting {
  /** Id of the folder. */
  readonly root: string;
  /** What is mounted: when it changes, what was found in the one before leaves the tree. */
  readonly target: string;
  /** All that it goes by, as text. */
  readonly settings: string;
  begin(): void;
  /** Resolves when nothing goes on any more. */
  stop(): Promise<void>;
}
