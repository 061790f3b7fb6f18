import { describe } from 'vitest';
import { valkeyStore } from '../../support/stores/index.ts';
import { noValkey } from '../../support/valkey/index.ts';
import { eventStoreContract } from './suite.ts';

describe.skipIf(noValkey)('event store over Valkey', () => eventStoreContract(valkeyStore()));
