/** What is entered and not saved, by name; null: back to the default. */
export type Edits = Readonly<Record<string, string | null>>;
