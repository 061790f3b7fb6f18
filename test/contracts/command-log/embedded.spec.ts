import { describe } from 'vitest';
import { embeddedFile, embeddedMemory } from '../../support/stores/index.ts';
import { commandLogContract } from './suite.ts';

describe('command log in memory', () => commandLogContract(embeddedMemory()));
describe('command log in a file', () => commandLogContract(embeddedFile()));
