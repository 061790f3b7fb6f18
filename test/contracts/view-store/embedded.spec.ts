import { describe } from 'vitest';
import { createEmbeddedViewStore } from '../../../adapters/embedded/index.ts';
import { createFakeClock } from '../../support/fake-clock/index.ts';
import { describeBuilds } from './builds.ts';
import { describeIndexes, describeRows } from './suite.ts';

const open = async () => ({ views: createEmbeddedViewStore({ clock: createFakeClock() }) });

describe('rows in memory', () => describeRows(open));
describe('indexes in memory', () => describeIndexes(open));
describe('builds in memory', () => describeBuilds(open));
