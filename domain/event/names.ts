import type { StreamName } from './event.ts';

const streamText = /^[^\s/\p{Cc}][^\p{Cc}]{0,1023}$/u;
const nameText = /^[^\p{Cc}]{1,512}$/u;

/** Names of streams, commands and aggregates become parts of key names and file lines: bounded, and without control characters. */
export function checkStream(stream: StreamName): void {
  if (!streamText.test(stream) || !stream.includes('/')) throw new TypeError(`not a stream name: ${JSON.stringify(stream.slice(0, 80))}`);
}

export const isName = (name: string): boolean => nameText.test(name);

export function checkName(name: string): void {
  if (!isName(name)) throw new TypeError(`not a name for a command or an aggregate: ${JSON.stringify(name.slice(0, 80))}`);
}

/** A resourceVersion as a whole number without leading zeros, so that the longer one of two is the newer. */
export function checkResourceVersion(resourceVersion: string): string {
  const version = resourceVersion.replace(/^0+(?=\d)/, '');
  if (!/^\d{1,40}$/.test(version)) {
    throw new TypeError(`a resourceVersion is a whole number, not ${JSON.stringify(resourceVersion.slice(0, 40))}`);
  }
  return version;
}
