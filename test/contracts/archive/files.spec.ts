import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { createFileArchive } from '../../../adapters/archive/index.ts';
import { archiveContract } from './suite.ts';

describe('archive in files', () => {
  let root = '';
  let n = 0;
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'mogenius-archive-'));
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  archiveContract(async () => {
    n += 1;
    const options = { path: join(root, String(n)), clusterId: 'test' };
    return { archive: createFileArchive(options), again: async () => createFileArchive(options) };
  });
});
