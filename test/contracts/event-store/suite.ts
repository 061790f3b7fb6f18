import { describe } from 'vitest';
import type { OpenStore } from '../../support/stores/index.ts';
import { appending } from './appending.ts';
import { keeping } from './keeping.ts';
import { observing } from './observing.ts';
import { reading } from './reading.ts';

/** What every event store does, whatever it stores in. To be called in a describe block of its own. */
export function eventStoreContract(open: OpenStore): void {
  describe('appending', () => appending(open));
  describe('reading', () => reading(open));
  describe('observing', () => observing(open));
  describe('keeping', () => keeping(open));
}
