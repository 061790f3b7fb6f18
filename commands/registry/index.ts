export * from './describe.ts';
export * from './fields.ts';
export * from './pattern.ts';
export * from './registry.ts';
export * from './request.ts';
export * from './result.ts';
