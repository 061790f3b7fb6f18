import { asObject, asText, type JsonObject } from '../model/json.ts';
import { timestamp } from '../object/write.ts';

export interface User {
  readonly username: string;
  readonly groups: readonly string[];
}

const described = (user: User): JsonObject => ({ username: user.username, groups: [...user.groups] });

/** Kinds that are only asked, never kept: whose token is this, may I. Whoever got in may do everything here. */
export function review(
  kind: string,
  body: JsonObject,
  how: { readonly user: User; readonly now: number; readonly tokens: (token: string) => User | undefined },
): JsonObject {
  const answer = { kind, apiVersion: body.apiVersion, metadata: {}, ...(body.spec === undefined ? {} : { spec: body.spec }) };
  switch (kind) {
    case 'TokenReview': {
      const user = how.tokens(asText(asObject(body.spec).token));
      return { ...answer, status: user ? { authenticated: true, user: described(user) } : { user: {}, error: 'invalid bearer token' } };
    }
    case 'SelfSubjectReview':
      return { ...answer, metadata: { creationTimestamp: timestamp(how.now) }, status: { userInfo: described(how.user) } };
    case 'SelfSubjectRulesReview':
      return {
        ...answer,
        status: {
          resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
          nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
          incomplete: false,
        },
      };
    default:
      return { ...answer, status: { allowed: true } };
  }
}
