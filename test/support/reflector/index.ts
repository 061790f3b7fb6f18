export { configMap, listOf, type ReflectorOnDouble, reflectorOnDouble } from './reflector.ts';
