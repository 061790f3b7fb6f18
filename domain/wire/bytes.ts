/** Bytes of a text as UTF-8. A lone surrogate counts as the three bytes of the replacement character that stands for it. */
export function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    bytes += unit < 0x800 ? 1 : 2;
    // A pair is four bytes: two for each half.
    if (unit >= 0xd800 && unit < 0xdc00 && isLow(text.charCodeAt(i + 1))) {
      i++;
    }
  }
  return bytes;
}

/** Whether a text takes more than `limit` bytes, without counting where its length tells. */
export function longerThan(text: string, limit: number): boolean {
  if (text.length > limit) return true;
  return text.length * 3 > limit && utf8Bytes(text) > limit;
}

const isLow = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000;
