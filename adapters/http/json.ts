import { RequestInvalid } from '../../domain/errors.ts';
import type { App } from './app.ts';

/** Lists and objects inside one another. More is no request but an attempt to overflow whoever walks through it. */
const deepest = 100;

/** Bodies are JSON. An empty one is none: programs send the content type with a POST that needs no body. */
export function parseJson(app: App): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body.trim() === '') return done(null, undefined);
    if (isDeeper(body, deepest)) return done(RequestInvalid({ text: `the body has more than ${deepest} levels` }));
    return parse(request, body, done);
  });
}

/** Counts brackets outside of texts: cheaper than parsing, and before it. */
function isDeeper(text: string, most: number): boolean {
  let depth = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (quoted) {
      if (c === 0x5c) i++;
      else if (c === 0x22) quoted = false;
    } else if (c === 0x22) quoted = true;
    else if (c === 0x7b || c === 0x5b) {
      if (++depth > most) return true;
    } else if (c === 0x7d || c === 0x5d) depth--;
  }
  return false;
}
