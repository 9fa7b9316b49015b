/** Texts of the server become elements. Scripts in them are not run. */

interface Policy {
  createHTML(html: string): unknown;
}

let policy: Policy | undefined;

/** Pages may demand that markup goes through a policy (`require-trusted-types-for`). */
function trusted(html: string): string {
  const types = (window as { trustedTypes?: { createPolicy(name: string, rules: object): Policy } }).trustedTypes;
  if (types === undefined) return html;
  policy ??= types.createPolicy('svc', { createHTML: (text: string) => text });
  return policy.createHTML(html) as string;
}

export function parseHtml(html: string): DocumentFragment {
  const template = document.createElement('template');
  template.innerHTML = trusted(html);
  // Elements of templates belong to no page yet.
  return document.importNode(template.content, true);
}
