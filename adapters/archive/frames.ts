import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';

/**
 * A segment's file is a row of zstd frames (RFC 8878), so that `zstd -dc FILE` prints its lines and any frame can be read alone.
 * Its last 24 bytes are a frame that decoders skip: where the trailer's frame begins.
 */
const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** Without the checksum a flipped bit would come out as another event. */
const params = { [constants.ZSTD_c_checksumFlag]: 1, [constants.ZSTD_c_compressionLevel]: 3 };

/** Most bytes of one frame's text: a damaged or forged frame must not fill the memory. */
const longest = 256 * 1024 * 1024;

export const toFrame = (lines: readonly string[]): Promise<Buffer> => compress(Buffer.from(`${lines.join('\n')}\n`), { params });

export async function linesOf(frame: Buffer): Promise<readonly string[]> {
  const text = (await decompress(frame, { maxOutputLength: longest })).toString('utf8');
  const lines = text.split('\n');
  lines.pop();
  return lines;
}

export const footerBytes = 24;
const skippable = 0x184d2a5b;
const mark = 'MOSEG001';

export function toFooter(trailerAt: number): Buffer {
  const footer = Buffer.alloc(footerBytes);
  footer.writeUInt32LE(skippable, 0);
  footer.writeUInt32LE(footerBytes - 8, 4);
  footer.writeBigUInt64LE(BigInt(trailerAt), 8);
  footer.write(mark, 16, 'latin1');
  return footer;
}

/** Where the trailer begins; undefined when these bytes are no footer. */
export function readFooter(footer: Buffer): number | undefined {
  if (footer.length !== footerBytes || footer.readUInt32LE(0) !== skippable || footer.toString('latin1', 16) !== mark) return undefined;
  return Number(footer.readBigUInt64LE(8));
}
