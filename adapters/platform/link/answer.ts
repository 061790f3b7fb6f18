import { asOperatorError, Internal, ShuttingDown } from '../../../domain/errors.ts';
import type { Dispatcher, Log, Result, Session } from '../../../domain/ports/index.ts';
import { datagramToRequest, encodeResponse, parseDatagram, refusal, unpack } from '../../../domain/wire/index.ts';
import type { Arrived } from './inbox.ts';
import { deflateText, inflateText } from './zlib.ts';

export interface AnswerOptions {
  readonly dispatcher: Dispatcher;
  readonly session: Session;
  readonly log: Log;
  readonly newId: () => string;
  readonly maxFrameBytes: number;
  /** A frame nobody could be told about. */
  readonly onUnreadable: (reason: string) => void;
}

export interface Answer {
  readonly id: string;
  readonly text: string;
}

interface Addressed {
  readonly id: string;
  readonly pattern: string;
}

/** Frame in, answer out; nothing where nobody can be answered. Never rejects. */
export function createAnswering(options: AnswerOptions): (arrived: Arrived, signal: AbortSignal) => Promise<Answer | undefined> {
  const { dispatcher, session, log } = options;

  async function resultOf(arrived: Arrived, signal: AbortSignal): Promise<{ to: Addressed; result: Result } | undefined> {
    const parsed = parseDatagram(arrived.text, { maxBytes: options.maxFrameBytes, newId: options.newId });
    if (parsed.outcome === 'unreadable') {
      options.onUnreadable(parsed.reason);
      if (parsed.reason !== 'empty') log.warn('a frame was dropped: its sender cannot be told', { reason: parsed.text });
      return undefined;
    }
    if (parsed.outcome === 'refused') return { to: parsed, result: refusal(parsed.text, 400) };
    const to = parsed.datagram;
    if (arrived.late) return { to, result: failed(ShuttingDown({})) };
    try {
      const unpacked = await unpack(parsed.datagram, inflateText);
      if (unpacked.outcome === 'refused') return { to, result: refusal(unpacked.text, 400) };
      return { to, result: await dispatcher.dispatch(datagramToRequest(unpacked.datagram, arrived.at), { session, signal }) };
    } catch (error) {
      log.error('a request failed beyond its handler', { id: to.id, pattern: to.pattern, error });
      return { to, result: failed(asOperatorError(error, to.id)) };
    }
  }

  return async (arrived, signal) => {
    const answered = await resultOf(arrived, signal);
    if (!answered) return undefined;
    const { to, result } = answered;
    try {
      return { id: to.id, text: await encodeResponse(to, result, deflateText) };
    } catch (error) {
      log.error('an answer could not be written as JSON', { id: to.id, pattern: to.pattern, error });
      return { id: to.id, text: await encodeResponse(to, failed(Internal({ id: to.id })), deflateText) };
    }
  };
}

const failed = ({ message, status }: { readonly message: string; readonly status: number }): Result => refusal(message, status);
