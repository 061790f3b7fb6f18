// Import directions: cli -> adapters -> domain, cli -> commands -> domain, cli -> projections -> domain.
// commands and projections get ports, never adapters. A test plants a forbidden import and expects this to fail.
const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });
const spec = '\\.spec\\.ts$';

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    forbid(
      'domain-is-pure',
      'domain imports domain and zod only',
      { path: '^domain/', pathNot: spec },
      { pathNot: ['^domain/', '^node_modules/zod/'] },
    ),
    forbid('commands-get-ports', 'commands import commands and domain', { path: '^commands/' }, { path: '^(adapters|projections|cli)/' }),
    forbid(
      'projections-get-ports',
      'projections import projections and domain',
      { path: '^projections/' },
      { path: '^(adapters|commands|cli)/' },
    ),
    forbid(
      'adapters-know-the-domain',
      'adapters import domain, not the layers beside them',
      { path: '^adapters/', pathNot: spec },
      { path: '^(commands|projections|cli)/' },
    ),
    forbid(
      'adapters-are-apart',
      'an adapter imports no other adapter',
      { path: '^adapters/([^/]+)/', pathNot: spec },
      { path: '^adapters/', pathNot: '^adapters/$1/' },
    ),
    forbid(
      'product-without-tests',
      'the product imports nothing of test/',
      { path: '^(domain|commands|projections|adapters|cli)/', pathNot: spec },
      { path: '^test/' },
    ),
    forbid(
      'front-door',
      'the command line enters a folder by its index.ts',
      { path: '^cli/', pathNot: spec },
      { path: '^(adapters|projections|commands|domain)/[^/]+/.+', pathNot: '/index\\.ts$' },
    ),
    forbid(
      'front-door',
      "a folder is entered by its index.ts, other than one's own",
      { path: '^(adapters|projections|commands)/([^/]+)/', pathNot: spec },
      { path: '^(adapters|projections|commands)/[^/]+/.+', pathNot: ['/index\\.ts$', '^$1/$2/'] },
    ),
    forbid('no-circles', 'imports form no circle', {}, { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } }),
    forbid('resolvable', 'an import leads somewhere', {}, { couldNotResolve: true }),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      extensions: ['.ts', '.mjs', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'types'],
    },
  },
};
