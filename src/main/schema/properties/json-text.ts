/** The one place where properties get their JSON string writer from. */
export function jsonString(text: string): string {
  return JSON.stringify(text);
}
