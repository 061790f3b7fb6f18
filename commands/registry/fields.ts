import { z } from 'zod';

/** A required text: present and not empty. */
export const required = () => z.string().min(1);

/** A response that is a plain text: it travels in `message`, `data` is `""`. */
export const text = (sample: string) => z.string().meta({ plainText: true, description: sample });

/** No request: an absent payload, null or any object will do. */
export const nothing = () => z.object({}).meta({ noRequest: true });

/** A text that may be absent. */
export const optional = () => z.string().optional();
