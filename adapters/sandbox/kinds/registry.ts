import { apiVersionOf, type Kind, storeKeyOf } from '../model/kind.ts';
import { builtInKinds } from './built-in.ts';

/** The kinds that are served now. Custom ones come and go with their definitions. */
export class Registry {
  private readonly byPath = new Map<string, Kind>();
  private readonly byGroup = new Map<string, Set<string>>();

  constructor() {
    for (const kind of builtInKinds) this.add(kind);
  }

  add(kind: Kind): void {
    this.byPath.set(`${apiVersionOf(kind)}/${kind.plural}`, kind);
    const versions = this.byGroup.get(kind.group) ?? new Set();
    this.byGroup.set(kind.group, versions.add(kind.version));
  }

  /** All versions of a custom kind. */
  remove(group: string, plural: string): void {
    for (const [path, kind] of this.byPath) if (kind.group === group && kind.plural === plural) this.byPath.delete(path);
    const versions = new Set([...this.byPath.values()].filter((kind) => kind.group === group).map((kind) => kind.version));
    if (versions.size === 0) this.byGroup.delete(group);
    else this.byGroup.set(group, versions);
  }

  /** `apiVersion` is `v1` or `group/version`. */
  find(apiVersion: string, plural: string): Kind | undefined {
    return this.byPath.get(`${apiVersion}/${plural}`);
  }

  kinds(): readonly Kind[] {
    return [...this.byPath.values()];
  }

  /** Group -> its versions; the core group is ''. */
  groups(): ReadonlyMap<string, ReadonlySet<string>> {
    return this.byGroup;
  }

  serves(apiVersion: string): boolean {
    const slash = apiVersion.indexOf('/');
    return this.byGroup.get(apiVersion.slice(0, Math.max(0, slash)))?.has(apiVersion.slice(slash + 1)) ?? false;
  }

  kindsOf(apiVersion: string): readonly Kind[] {
    return this.kinds().filter((kind) => apiVersionOf(kind) === apiVersion);
  }

  /** Where the objects of namespaced kinds lie, each place once. */
  namespacedShelves(): readonly { readonly shelf: string; readonly kind: Kind }[] {
    const found = new Map<string, Kind>();
    for (const kind of this.kinds()) {
      if (kind.namespaced && kind.verbs.includes('delete') && !found.has(storeKeyOf(kind))) found.set(storeKeyOf(kind), kind);
    }
    return [...found].map(([shelf, kind]) => ({ shelf, kind }));
  }
}
