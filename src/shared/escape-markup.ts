const SPECIAL: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text that means itself in HTML and XML, in attributes too. */
export function escapeMarkup(text: string): string {
  return text.replace(/[&<>"']/g, (char) => SPECIAL[char] ?? char);
}
