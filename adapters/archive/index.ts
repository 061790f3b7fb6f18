export { type ExportRange, type ExportSummary, exportEvents, readExport } from './export.ts';
export { createFileArchive, type FileArchiveOptions } from './files.ts';
export { createHistory, type HistoryOptions } from './history.ts';
export { createRetention, type Pass, type Retention, type RetentionOptions } from './retention/index.ts';
