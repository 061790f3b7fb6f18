import type { RouteOptions } from 'fastify';

/** Which methods a path knows: what the router calls "not found" may be another method's path, and that is a 405. */
export interface MethodTable {
  add(route: Pick<RouteOptions, 'url' | 'method'>): void;
  /** Undefined when nothing is served at the path. */
  allowed(path: string): readonly string[] | undefined;
}

export function createMethodTable(): MethodTable {
  const routes = new Map<string, { readonly segments: readonly string[]; readonly methods: Set<string> }>();
  return {
    add({ url, method }) {
      const found = routes.get(url) ?? { segments: url.split('/'), methods: new Set<string>() };
      for (const one of Array.isArray(method) ? method : [method]) found.methods.add(one.toUpperCase());
      routes.set(url, found);
    },
    allowed(path) {
      const segments = path.split('/');
      const methods = [...routes.values()].filter((route) => fits(route.segments, segments)).flatMap((route) => [...route.methods]);
      return methods.length === 0 ? undefined : [...new Set(methods)].sort();
    },
  };
}

const fits = (route: readonly string[], path: readonly string[]) =>
  route.length === path.length && route.every((part, i) => (part.startsWith(':') ? path[i] !== '' : part === path[i]));
