export { type Checked, checkInvariants, checkObserved } from './invariants.ts';
export { allEvents, type LoggedEvent } from './log.ts';
