/** Objects as people read them. */
export interface ObjectText {
  /** YAML with sorted keys, two spaces, dashes not indented. */
  yaml(value: unknown): string;
  /** Unified diff with three lines of context, both sides under one label. Empty when both are the same. */
  unified(before: string, after: string, label: string): string;
  /**
   * The YAML documents of a text, each put through `change`. A document that comes back as it went stays as it was written, and so does the text
   * when all do. Undefined when it can't be read.
   */
  rewrite(text: string, change: (document: unknown) => unknown): string | undefined;
}
