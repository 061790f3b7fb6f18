export { type Checked, checkInvariants } from './invariants.ts';
export { allEvents, type LoggedEvent } from './log.ts';
