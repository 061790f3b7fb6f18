import type { Cluster } from '../../domain/ports/index.ts';

/** The cluster as a handler gets it: `before` runs ahead of every write and may forbid it by throwing, `after` when the write was answered. */
export function guardWrites(cluster: Cluster, { before, after }: { before: () => Promise<void>; after: () => Promise<void> }): Cluster {
  const guarded =
    <Args extends readonly unknown[], Answer>(write: (...args: Args) => Promise<Answer>) =>
    async (...args: Args): Promise<Answer> => {
      await before();
      const answer = await write(...args);
      await after();
      return answer;
    };
  return {
    get: (...args) => cluster.get(...args),
    list: (...args) => cluster.list(...args),
    discover: (...args) => cluster.discover(...args),
    version: (...args) => cluster.version(...args),
    reviewToken: (...args) => cluster.reviewToken(...args),
    create: guarded((...args: Parameters<Cluster['create']>) => cluster.create(...args)),
    replace: guarded((...args: Parameters<Cluster['replace']>) => cluster.replace(...args)),
    merge: guarded((...args: Parameters<Cluster['merge']>) => cluster.merge(...args)),
    apply: guarded((...args: Parameters<Cluster['apply']>) => cluster.apply(...args)),
    delete: guarded((...args: Parameters<Cluster['delete']>) => cluster.delete(...args)),
  };
}
