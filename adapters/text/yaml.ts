import { Document, parseAllDocuments, Scalar, visit } from 'yaml';

/** Words and numbers that readers of YAML 1.1 take for something else than text: they stand in double quotes. */
const otherThanText =
  /^(~|null|true|false|yes|no|on|off|y|n|[-+]?(0x[\da-f]+|0o?[0-7]+|0b[01]+|[\d_]+(:[0-5]?\d)+|\d[\d_,]*\.?\d*(e[-+]?\d+)?|\.\d+(e[-+]?\d+)?|\.inf)|\.nan|\d{4}-\d{1,2}-\d{1,2}.*|<<|=)?$/i;

/** YAML as `kubectl get -o yaml` writes it: sorted keys, two spaces, dashes not indented, long lines left long. */
export function toYaml(value: unknown): string {
  const document = new Document(value, { sortMapEntries: true, aliasDuplicateObjects: false });
  visit(document, {
    Scalar(key, node) {
      if (typeof node.value !== 'string') return;
      if (otherThanText.test(node.value)) node.type = Scalar.QUOTE_DOUBLE;
      else if (node.value.includes('\n') && key !== 'key') node.type = Scalar.BLOCK_LITERAL;
    },
  });
  return document.toString({ lineWidth: 0, indentSeq: false, singleQuote: true });
}

/** Documents that `change` leaves alone keep their text. Undefined when the text is no YAML, or one that explodes when it is read. */
export function rewriteYaml(text: string, change: (document: unknown) => unknown): string | undefined {
  try {
    const documents = parseAllDocuments(text, { logLevel: 'silent' });
    if (!Array.isArray(documents)) return text;
    if (documents.some(({ errors }) => errors.length > 0)) return undefined;
    let changed = false;
    const texts = documents.map((document) => {
      const value: unknown = document.toJS({ maxAliasCount: 100 });
      const next = change(value);
      if (next === value) return String(document);
      changed = true;
      return toYaml(next);
    });
    return changed ? texts.map((one) => one.replace(/^---\n/, '')).join('---\n') : text;
  } catch {
    return undefined;
  }
}
