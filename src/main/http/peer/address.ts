/** Text of a peer address as others write it: IPv4 dotted also when it came through an IPv6 socket. */
export function addressText(raw: ArrayBuffer): string {
  const text = Buffer.from(raw).toString('latin1');
  if (!text.includes(':')) return text;
  const groups = text.split(':');
  if (groups.length !== 8) return text;
  const words = groups.map((group) => Number.parseInt(group, 16));
  if (words.some((word) => Number.isNaN(word))) return text;
  if (words.slice(0, 5).every((word) => word === 0) && words[5] === 0xffff) {
    const [high = 0, low = 0] = words.slice(6);
    return `${String(high >> 8)}.${String(high & 255)}.${String(low >> 8)}.${String(low & 255)}`;
  }
  return shorten(words);
}

/** RFC 5952: the longest run of two or more zero groups becomes `::`. */
function shorten(words: readonly number[]): string {
  let best = { at: -1, length: 1 };
  for (let i = 0; i < words.length; i++) {
    let length = 0;
    while (words[i + length] === 0) length++;
    if (length > best.length) best = { at: i, length };
  }
  const hex = (part: readonly number[]): string => part.map((word) => word.toString(16)).join(':');
  if (best.at < 0) return hex(words);
  return `${hex(words.slice(0, best.at))}::${hex(words.slice(best.at + best.length))}`;
}
