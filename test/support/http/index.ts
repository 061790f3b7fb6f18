export { bearer, eventOf, type Harness, openHttp } from './harness.ts';
