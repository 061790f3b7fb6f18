export { objectText } from './text.ts';
