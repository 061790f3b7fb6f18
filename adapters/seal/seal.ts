import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { SealBroken } from '../../domain/errors.ts';
import type { Sealer } from '../../domain/ports/index.ts';

const nonceBytes = 12;
const tagBytes = 16;
/** First byte of a sealed text: the format, so that a later one can be told apart. */
const format = 1;

/**
 * AES-256-GCM (NIST SP 800-38D) with a random nonce for each text; layout: format, nonce, tag, ciphertext.
 * Sealing and digests use keys of their own, derived from the one given (HKDF-SHA256, RFC 5869). `key` has 32 bytes.
 */
export function createSealer(key: Uint8Array): Sealer {
  if (key.length !== 32) throw new TypeError(`the sealing key has ${key.length} bytes, it needs 32`);
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), `mogenius-operator/${purpose}`, 32));
  const sealing = derive('seal');
  const digesting = derive('digest');
  return {
    seal(text, context) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', sealing, nonce, { authTagLength: tagBytes }).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([Buffer.from([format]), nonce, cipher.getAuthTag(), body]);
    },
    open(sealed, context) {
      try {
        if (sealed[0] !== format) throw new TypeError('unknown format');
        const at = 1 + nonceBytes;
        const decipher = createDecipheriv('aes-256-gcm', sealing, sealed.subarray(1, at), { authTagLength: tagBytes })
          .setAAD(Buffer.from(context))
          .setAuthTag(sealed.subarray(at, at + tagBytes));
        return Buffer.concat([decipher.update(sealed.subarray(at + tagBytes)), decipher.final()]).toString('utf8');
      } catch (error) {
        throw SealBroken({ id: context }, error);
      }
    },
    digest: (text) => createHmac('sha256', digesting).update(text).digest('hex'),
  };
}

/** A new key for `createSealer`. */
export const newSealingKey = (): Uint8Array => randomBytes(32);
