/** A watch line is one object; etcd takes 1.5 MB at most, in JSON it may be larger. */
const maxLine = 16 * 1024 * 1024;

/**
 * Cuts a stream of bytes into whole lines. What has no line end when the connection breaks is never given out: half an object is none.
 * Bytes are joined before they are decoded, as a character may be cut in two.
 */
export function lineCutter(): (chunk: Uint8Array) => string[] {
  let rest: Uint8Array[] = [];
  let held = 0;
  return (chunk) => {
    const end = chunk.lastIndexOf(10);
    if (end < 0) {
      held += chunk.length;
      if (held > maxLine) throw new RangeError(`a line of the watch is longer than ${maxLine} bytes`);
      rest.push(chunk);
      return [];
    }
    const whole = Buffer.concat([...rest, chunk.subarray(0, end)]).toString('utf8');
    const left = chunk.subarray(end + 1);
    rest = left.length > 0 ? [left] : [];
    held = left.length;
    return whole.split('\n').filter((line) => line !== '');
  };
}
