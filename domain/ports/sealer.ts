/** Keeps secrets of requests and results from whoever can read the log. The key is in the memory of the process only. */
export interface Sealer {
  /** AES-256-GCM; `context` (the command id) is bound to it: a sealed text moved to another command does not open. */
  seal(text: string, context: string): Uint8Array;
  /** Throws `SealBroken` when it was sealed with another key, for another context, or was changed. */
  open(sealed: Uint8Array, context: string): string;
  /** A keyed digest (HMAC-SHA256, hex): tells change without telling the value. */
  digest(text: string): string;
}
