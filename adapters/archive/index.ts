export { createFileArchive, type FileArchiveOptions } from './files.ts';
