/** A parsed JSON value. Integers beyond +-2^53 are `bigint`; objects have no prototype. */
export type JsonValue = string | number | bigint | boolean | null | JsonValue[] | { [key: string]: JsonValue };
export type JsonObject = { [key: string]: JsonValue };
