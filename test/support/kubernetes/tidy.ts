const volatile: Readonly<Record<string, string>> = {
  uid: 'UID',
  resourceVersion: 'VERSION',
  creationTimestamp: 'TIME',
  deletionTimestamp: 'TIME',
  time: 'TIME',
  lastTransitionTime: 'TIME',
};

/** Values that differ from run to run become their names, so that the rest can be written down. */
export function tidy(value: unknown, names: { readonly group: string; readonly namespace: string }): unknown {
  if (typeof value === 'string') return value.replaceAll(names.group, 'GROUP').replaceAll(names.namespace, 'NAMESPACE');
  if (Array.isArray(value)) return value.map((each) => tidy(each, names));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => {
      const name = volatile[key];
      return [key, name !== undefined && typeof each === 'string' && each !== '' ? name : tidy(each, names)];
    }),
  );
}

/** A value deep inside; undefined where a step is missing. */
export function at(value: unknown, path: string): unknown {
  let found = value;
  for (const step of path.split('.')) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = new Map(Object.entries(found)).get(step);
  }
  return found;
}

/** The same, as text: '' where there is none. */
export const textAt = (value: unknown, path: string): string => {
  const found = at(value, path);
  return typeof found === 'string' ? found : '';
};

export const listAt = (value: unknown, path: string): readonly unknown[] => {
  const found = at(value, path);
  return Array.isArray(found) ? found : [];
};

export const namesIn = (list: unknown): readonly string[] => listAt(list, 'items').map((item) => textAt(item, 'metadata.name'));
