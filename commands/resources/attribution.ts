import type { Attribution } from '../../domain/command/index.ts';
import { apiVersionOf, type ResourceKind } from '../../domain/ports/index.ts';

/** The audit entry of a command on one of our kinds is filed under its object, in the own namespace. */
export const attributedTo =
  (kind: ResourceKind) =>
  ({ name }: { readonly name?: string | undefined }, { ownNamespace }: { readonly ownNamespace: string }): Attribution => ({
    kind: kind.kind,
    apiVersion: apiVersionOf(kind),
    namespace: ownNamespace,
    ...(name === undefined ? {} : { name }),
  });

/** Commands on one object are handled one after the other. */
export const aggregateOf =
  (kind: ResourceKind) =>
  ({ name }: { readonly name?: string | undefined }): string =>
    `${kind.kind.toLowerCase()}/${name ?? ''}`;
