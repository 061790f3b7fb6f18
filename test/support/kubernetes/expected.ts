interface Cause {
  readonly reason: string;
  readonly message: string;
  readonly field?: string;
}

/** A `Status` of failure as it goes over the wire; `details` are left out where the server leaves them out. */
export const failure = (code: number, reason: string, message: string, details?: object) => ({
  status: code,
  body: {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    ...(reason === '' ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
    code,
  },
});

export const badRequest = (message: string) => failure(400, 'BadRequest', message);

/** A Thing that breaks its schema. `unchecked` when rules were not tried after it. */
export function invalidThing(name: string, causes: readonly Cause[], unchecked = false) {
  const skipped = {
    reason: 'FieldValueInvalid',
    message:
      'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    field: '<nil>',
  };
  const all = unchecked ? [...causes, skipped] : causes;
  const sentences = all.map((cause) => `${cause.field}: ${cause.message}`);
  const text = sentences.length === 1 ? sentences[0] : `[${sentences.join(', ')}]`;
  return failure(422, 'Invalid', `Thing.GROUP "${name}" is invalid: ${text}`, { name, group: 'GROUP', kind: 'Thing', causes: all });
}
