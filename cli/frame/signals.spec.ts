import { EventEmitter } from 'node:events';
import { expect, it, vi } from 'vitest';
import { stopSignal } from './signals.ts';

it('asks to stop with the first signal and ends at once with the second, whichever it is', () => {
  const [receiver, end] = [new EventEmitter(), vi.fn()];
  const signal = stopSignal(receiver, end);
  receiver.emit('SIGTERM');
  expect([signal.aborted, signal.reason]).toEqual([true, 'SIGTERM']);
  expect(end).not.toHaveBeenCalled();
  receiver.emit('SIGINT');
  expect(end.mock.calls).toEqual([[130]]);
});
