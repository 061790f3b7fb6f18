export { type Finding, fail, ok, sentence, warn } from './finding.ts';
export { printFindings } from './print.ts';
