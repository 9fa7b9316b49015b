/** Methods of a type that the service calls by itself, never a URL; suffixes allowed (docs/interface/scripting.md 6.5). */
const LIFECYCLE =
  /^(on(NodeCreation|Create|Creation|Save|Modification|Delete|Upload|Download)|after(Create|Creation|Save|Modification|Delete))/;

export function isLifecycleName(name: string): boolean {
  return LIFECYCLE.test(name);
}
