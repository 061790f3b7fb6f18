export { docsPage, docsPagePolicy } from './page.ts';
