import { describe } from 'vitest';
import { embeddedFile, embeddedMemory } from '../../support/stores/index.ts';
import { eventStoreContract } from './suite.ts';

describe('event store in memory', () => eventStoreContract(embeddedMemory()));
describe('event store in a file', () => eventStoreContract(embeddedFile()));
