import { z } from 'zod';

/** Query strings refuse what they don't know: a filter with a typing error would answer everything. */
export const limit = z.coerce.number().int().min(1).max(1000).default(100).describe('Most entries, 1 to 1000.');
export const offset = z.coerce.number().int().min(0).max(1_000_000_000).default(0).describe('Entries passed over.');

export const pageQuery = z.strictObject({ limit, offset });

export const pageOf = <Item extends z.ZodType>(item: Item) => z.object({ items: z.array(item), total: z.int() });
