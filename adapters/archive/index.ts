export { createFileArchive, type FileArchiveOptions } from './files.ts';
export { createHistory, type HistoryOptions } from './history.ts';
