import { createHash } from 'node:crypto';
import { script } from './script.ts';

const style = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
details { border: 1px solid #8884; border-radius: 6px; margin: .4rem 0; padding: .4rem .8rem; }
summary { cursor: pointer; font-family: ui-monospace, monospace; }
pre, textarea { background: #8881; border: 0; border-radius: 4px; box-sizing: border-box; font: 13px/1.4 ui-monospace, monospace; overflow: auto; padding: .6rem; width: 100%; white-space: pre-wrap; }
input { font: inherit; padding: .4rem; width: 100%; box-sizing: border-box; }
`;

/** The whole page in one answer: it works without a network beyond the operator. */
export const docsPage = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>mogenius operator API</title><meta name="viewport" content="width=device-width"><style>${style}</style></head>
<body>
<h1>mogenius operator API</h1>
<p>Routes under <code>/api/v1</code> as <a href="/api/v1/openapi.json">OpenAPI</a>, and the <a href="/spec.yaml">patterns</a> that
<code>POST /api/v1/commands</code> takes.</p>
<input id="filter" placeholder="Filter" aria-label="Filter">
<h2>Patterns</h2><div id="patterns"></div>
<h2>Routes</h2><div id="routes"></div>
<script type="module">${script}</script>
</body>
</html>
`;

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Only this script and this style run, and they speak only with the operator. */
export const docsPagePolicy = [
  "default-src 'none'",
  `script-src ${hashOf(script)}`,
  `style-src ${hashOf(style)}`,
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
