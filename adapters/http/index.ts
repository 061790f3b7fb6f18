export { createHttpApi, type HttpApi } from './api.ts';
export { openApiDocument } from './document.ts';
export { defaultLimits, type HttpApiOptions, type HttpLimits, type HttpParts, type ReconcilerStatus, type Tokens } from './options.ts';
