import { describe } from 'vitest';
import type { OpenStore } from '../../support/stores/index.ts';
import { accepting } from './accepting.ts';
import { claiming } from './claiming.ts';
import { finishing } from './finishing.ts';
import { parking } from './parking.ts';

/** What every command log does, whatever it stores in. To be called in a describe block of its own. */
export function commandLogContract(open: OpenStore): void {
  describe('accepting', () => accepting(open));
  describe('claiming', () => claiming(open));
  describe('finishing', () => finishing(open));
  describe('parking', () => parking(open));
}
