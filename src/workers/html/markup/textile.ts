import library from 'textile-js';

export function textile(text: string): string {
  return library(text);
}
