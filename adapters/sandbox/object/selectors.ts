import { asObject, asText, type Json, type JsonObject } from '../model/json.ts';
import type { Kind } from '../model/kind.ts';
import { badRequest, type Refusal } from '../model/status.ts';

export type Selects = (object: JsonObject) => boolean;

const unparsed = (why: string): Refusal => badRequest(`unable to parse requirement: ${why}`);
const part = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;

type Test = (labels: JsonObject) => boolean;

/** `a=b,c!=d,e in (f,g),h notin (i),j,!k,l>1,m<2` as a test of labels. */
export function labelSelector(text: string): Selects {
  const tests: Test[] = [];
  const tokens = text.match(/!=|==|[=<>!(),]|[^\s=<>!(),]+/g) ?? [];
  let at = 0;
  const next = () => tokens[at++] ?? '';
  while (at < tokens.length) {
    tests.push(requirement(next, () => tokens[at] ?? ''));
    if (at >= tokens.length) break;
    const sign = next();
    if (sign !== ',') throw badRequest(`found '${sign}', expected: ',' or 'end of string'`);
    if (at >= tokens.length) throw badRequest(`found '', expected: identifier after ','`);
  }
  return (object) => {
    const labels = asObject(asObject(object.metadata).labels);
    return tests.every((test) => test(labels));
  };
}

function requirement(next: () => string, peek: () => string): Test {
  const not = peek() === '!';
  if (not) next();
  const key = next();
  if (key === '' || /^[=<>!(),]/.test(key)) throw unparsed(`found '${key}', expected: identifier`);
  if (!part.test(key.split('/').at(-1) ?? '')) {
    throw unparsed(
      `<nil>: Invalid value: ${JSON.stringify(key)}: name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    );
  }
  if (not) return (labels) => labels[key] === undefined;
  const sign = peek();
  if (sign === '' || sign === ',') return (labels) => labels[key] !== undefined;
  next();
  switch (sign) {
    case '=':
    case '==': {
      const wanted = value(next, peek);
      return (labels) => labels[key] === wanted;
    }
    case '!=': {
      const unwanted = value(next, peek);
      return (labels) => labels[key] !== unwanted;
    }
    case 'in': {
      const wanted = values(next);
      return (labels) => labels[key] !== undefined && wanted.has(asText(labels[key]));
    }
    case 'notin': {
      const unwanted = values(next);
      return (labels) => labels[key] === undefined || !unwanted.has(asText(labels[key]));
    }
    case '>':
    case '<':
      return compared(key, sign, value(next, peek));
    default:
      throw unparsed(`found '${sign}', expected: in, notin, =, ==, !=, gt, lt`);
  }
}

function value(next: () => string, peek: () => string): string {
  return peek() === '' || peek() === ',' ? '' : next();
}

function compared(key: string, sign: '>' | '<', text: string): Test {
  if (!/^-?\d+$/.test(text)) {
    throw unparsed(`values[0]: Invalid value: ${JSON.stringify(text)}: for 'Gt', 'Lt' operators, the value must be an integer`);
  }
  const bound = Number(text);
  return (labels) => {
    const own = asText(labels[key]);
    return /^-?\d+$/.test(own) && (sign === '>' ? Number(own) > bound : Number(own) < bound);
  };
}

function values(next: () => string): Set<string> {
  const open = next();
  if (open !== '(') throw unparsed(`found '${open}' expected: '('`);
  const found = new Set<string>();
  let last = '(';
  for (;;) {
    const token = next();
    if (token === ')' || token === ',') {
      if (last === ',' || last === '(') found.add('');
      if (token === ')') return found;
    } else if (token === '') {
      throw unparsed(`found '', expected: ',' or ')'`);
    } else {
      found.add(token);
    }
    last = token;
  }
}

/** `metadata.name=a,type!=b` as a test of an object; fields the kind does not offer are refused. */
export function fieldSelector(kind: Kind, text: string): Selects {
  const tests = text
    .split(',')
    .filter((each) => each !== '')
    .map((each) => {
      const found = /^(.*?)(!=|==|=)(.*)$/.exec(each);
      if (!found) throw badRequest(`invalid selector: '${text}'; can't understand '${each}'`);
      const [, field = '', sign = '=', wanted = ''] = found;
      const known = field === 'metadata.name' || (field === 'metadata.namespace' && kind.namespaced) || kind.selectable.includes(field);
      if (!known) throw unknownField(kind, field);
      return (object: JsonObject) => (fieldOf(object, field) === wanted) === (sign !== '!=');
    });
  return (object) => tests.every((test) => test(object));
}

function unknownField(kind: Kind, field: string): Refusal {
  if (kind.custom || kind.selectable.length === 0) {
    const known = kind.namespaced ? '"metadata.name", "metadata.namespace"' : '"metadata.name"';
    return badRequest(
      kind.custom
        ? `field label not supported: ${field}`
        : `"${field}" is not a known field selector: only ${kind.namespaced ? known : '"metadata.name", "metadata.namespace"'}`,
    );
  }
  return badRequest(`field label not supported: ${field}`);
}

function fieldOf(object: JsonObject, field: string): string {
  let value: Json | undefined = object;
  for (const step of field.split('.')) value = asObject(value)[step];
  return value === undefined || value === null ? '' : String(value);
}
