export { type Format, formats, printOne, printRows, structured } from './print.ts';
export { type Progress, progress } from './progress.ts';
export { type Colour, type Column, oneLine, paint, table } from './table.ts';
