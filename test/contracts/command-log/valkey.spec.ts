import { describe } from 'vitest';
import { valkeyStore } from '../../support/stores/index.ts';
import { noValkey } from '../../support/valkey/index.ts';
import { commandLogContract } from './suite.ts';

describe.skipIf(noValkey)('command log over Valkey', () => commandLogContract(valkeyStore()));
