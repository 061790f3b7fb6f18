import { z } from 'zod';
import { ClusterRefused, type OperatorError } from '../../domain/errors.ts';
import type { HttpAnswer } from './transport.ts';

const statusSchema = z.object({
  kind: z.literal('Status'),
  message: z.string().optional(),
  reason: z.string().optional(),
  code: z.number().optional(),
});

/** What a proxy or a web page before the server says is told only in part. */
const maxSentence = 1_000;

/** The error for an answer that is none of success: the server's own reason and sentence where it gave them. */
export function refusal(answer: HttpAnswer): OperatorError {
  const status = statusOf(answer.text);
  return ClusterRefused({
    status: answer.status,
    reason: status?.reason ?? 'Unknown',
    message:
      status?.message || `the Kubernetes API answered ${answer.status}: ${answer.text.slice(0, maxSentence).trim() || 'without a word'}`,
  });
}

/** A `Status` object as it stands in an answer or in the ERROR event of a watch. */
export function parseStatus(value: unknown): { code: number; reason: string; message: string } | undefined {
  const parsed = statusSchema.safeParse(value);
  if (!parsed.success) return undefined;
  const { code = 500, reason = 'Unknown', message = '' } = parsed.data;
  return { code, reason, message };
}

function statusOf(text: string) {
  if (!text.startsWith('{')) return undefined;
  try {
    return parseStatus(JSON.parse(text));
  } catch {
    return undefined;
  }
}
