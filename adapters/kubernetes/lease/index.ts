export { createLeadership, type LeadershipOptions } from './leadership.ts';
