import type { Kind } from '../model/kind.ts';
import { type Cause, invalidValue } from '../model/status.ts';

const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const service = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const part = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;

const sentences = {
  label: `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
  service: `a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`,
  subdomain: `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
  part: `name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
  value: `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
};
const long = (limit: number) => `must be no more than ${limit} characters`;

const rules = { label: { limit: 63, form: label }, service: { limit: 63, form: service }, subdomain: { limit: 253, form: subdomain } };

/** What is wrong with the name of an object, in the sentences of the server. */
export function wrongName(kind: Kind, name: string): Cause[] {
  const say = (why: string) => invalidValue('metadata.name', JSON.stringify(name), why);
  if (kind.names === 'path') {
    if (name === '.' || name === '..') return [say(`may not be '${name}'`)];
    return ['/', '%'].filter((sign) => name.includes(sign)).map((sign) => say(`may not contain '${sign}'`));
  }
  const { limit, form } = rules[kind.names];
  const found = name.length > limit ? [say(long(limit))] : [];
  if (form !== subdomain && name.includes('.')) return [...found, say('must not contain dots')];
  return form.test(name) ? found : [...found, say(sentences[kind.names])];
}

/** Keys of labels and annotations: an optional DNS prefix, a slash, a name. */
function wrongKey(key: string, field: string): Cause[] {
  const say = (why: string) => invalidValue(field, JSON.stringify(key), why);
  const [first = '', second, ...more] = key.split('/');
  if (more.length > 0) {
    return [
      say(
        `a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
      ),
    ];
  }
  const found: Cause[] = [];
  const name = second ?? first;
  if (second !== undefined) {
    if (first === '') found.push(say('prefix part must be non-empty'));
    else if (!subdomain.test(first)) found.push(say(`prefix part ${sentences.subdomain}`));
  }
  if (name === '') found.push(say('name part must be non-empty'));
  else if (name.length > 63) found.push(say(`name part ${long(63)}`));
  if (!part.test(name)) found.push(say(sentences.part));
  return found;
}

export function wrongLabels(labels: Readonly<Record<string, string>>): Cause[] {
  return Object.entries(labels).flatMap(([key, value]) => {
    const found = wrongKey(key, 'metadata.labels');
    const say = (why: string) => found.push(invalidValue('metadata.labels', JSON.stringify(value), why));
    if (value.length > 63) say(long(63));
    if (value !== '' && !part.test(value)) say(sentences.value);
    return found;
  });
}

export function wrongAnnotations(annotations: Readonly<Record<string, string>>): Cause[] {
  const found = Object.keys(annotations).flatMap((key) => wrongKey(key.toLowerCase(), 'metadata.annotations'));
  const size = Object.entries(annotations).reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  if (size > 262_144) {
    found.push({ reason: 'FieldValueTooLong', message: 'Too long: may not be more than 262144 bytes', field: 'metadata.annotations' });
  }
  return found;
}
