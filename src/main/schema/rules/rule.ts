import type { JsonObject } from '../../../shared/json/index.js';
import type { GraphNode, PropertyMap, StoredValue } from '../../graph/index.js';
import type { ErrorToken } from '../model/errors.js';
import type { ObjectTransaction } from '../writing/object-transaction.js';
import type { PasswordPolicy } from '../writing/policies.js';

/**
 * Behaviour of one built-in trait beyond its properties: one file a trait, in the folder of its group, and one line in `rules/table.ts`.
 * Applies to objects of every type that carries the trait.
 */
export interface TraitRule {
  readonly trait: string;
  /** Looks at what a client sent before it is prepared, when passwords are still readable. Throws `SchemaError`. */
  prepare?(input: JsonObject, before: GraphNode | undefined, passwords: PasswordPolicy | undefined): void;
  /**
   * Adjusts values on their way in (an e-mail's case); `before` is undefined at creation. What `input` has and `values` has not
   * stays as it was. May throw `SchemaError`.
   */
  normalise?(
    values: Record<string, StoredValue | null>,
    before: PropertyMap | undefined,
    objects: ObjectTransaction,
    input: JsonObject,
  ): void;
  /** Does what follows from a change of an object that was there already. */
  updated?(before: GraphNode, after: GraphNode, objects: ObjectTransaction): Promise<void>;
  /** Does what has to be done while an object that goes still has its relationships. */
  deleting?(node: GraphNode, objects: ObjectTransaction): Promise<void>;
  /** Completes an object at the end of its transaction, before it is validated (computed names). */
  complete?(node: GraphNode, objects: ObjectTransaction): Promise<void>;
  /** Tokens for what is wrong; the first rule with a `message` names the refusal. */
  validate?(node: GraphNode, objects: ObjectTransaction): Promise<ErrorToken[]>;
  /** Message of the refusal when this rule's tokens are the only ones. */
  readonly message?: string;
}
