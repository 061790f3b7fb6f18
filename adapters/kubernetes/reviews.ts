import { z } from 'zod';
import { ClusterUnavailable } from '../../domain/errors.ts';
import type { HttpRequest } from './transport.ts';

type Ask = (request: HttpRequest) => Promise<unknown>;

const versionSchema = z.object({ gitVersion: z.string() });
const reviewSchema = z.object({
  status: z.object({
    authenticated: z.boolean().optional(),
    user: z.object({ username: z.string().optional(), groups: z.array(z.string()).nullish() }).optional(),
  }),
});

export async function serverVersion(ask: Ask, signal?: AbortSignal): Promise<string> {
  return read(versionSchema, await ask({ method: 'GET', path: '/version', signal })).gitVersion;
}

/** TokenReview. The token is in the body of the request and nowhere else. */
export async function reviewToken(ask: Ask, token: string, signal?: AbortSignal) {
  const body = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } });
  const path = '/apis/authentication.k8s.io/v1/tokenreviews';
  const { status } = read(reviewSchema, await ask({ method: 'POST', path, body, contentType: 'application/json', signal }));
  if (!status.authenticated || !status.user?.username) return undefined;
  return { username: status.user.username, groups: status.user.groups ?? [] };
}

function read<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw ClusterUnavailable({ reason: 'its answer has another shape than a Kubernetes API gives' }, parsed.error);
  return parsed.data;
}
