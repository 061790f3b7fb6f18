import { promisify } from 'node:util';
import { deflate, deflateSync, inflate } from 'node:zlib';
import type { Deflate, Inflate } from '../../../domain/wire/index.ts';

const deflateAside = promisify(deflate);
const inflateAside = promisify(inflate);

/** Below this the way to another thread costs more than compressing here. */
const small = 16 * 1024;

export const deflateText: Deflate = (text) =>
  text.length <= small ? deflateSync(text).toString('base64') : deflateAside(text).then((bytes) => bytes.toString('base64'));

export const inflateText: Inflate = async (base64, maxBytes) => {
  try {
    return (await inflateAside(Buffer.from(base64, 'base64'), { maxOutputLength: maxBytes })).toString('utf8');
  } catch (error) {
    if (error instanceof RangeError) throw new Error(`it is larger than ${maxBytes} bytes when decompressed`, { cause: error });
    throw error;
  }
};
