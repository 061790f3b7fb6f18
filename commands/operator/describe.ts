import { z } from 'zod';
import { nothing, query } from '../registry/index.ts';

/** Which build this is. `os` and `arch` are Go's names: clients know those. */
export const version = z.object({
  version: z.string(),
  branch: z.string(),
  gitCommitHash: z.string(),
  buildTimestamp: z.string(),
  os: z.string(),
  arch: z.string(),
});
export type Version = z.infer<typeof version>;

/** `describe` tells of all patterns, itself included, so it gets them when it is asked. */
export const describe = (build: Version, patterns: () => Readonly<Record<string, unknown>>) =>
  query({
    pattern: 'describe',
    reads: [],
    request: nothing(),
    response: z.object({
      buildInfo: z.object({ version }),
      features: z.record(z.string(), z.unknown()),
      patterns: z.record(z.string(), z.unknown()).optional(),
    }),
    answer: () => ({ buildInfo: { version: build }, features: {}, patterns: { ...patterns() } }),
  });
