export { type ApiDouble, type DoubleWatch, startApiDouble, statusOf } from './api-double.ts';
