export { createFakeClock, type FakeClock, settle } from './fake-clock.ts';
