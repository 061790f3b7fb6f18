export { exampleOf, fieldsOf } from './crds.ts';
