import * as v from 'valibot'

/** Lengths of texts in Unicode characters (code points), as JSON Schema counts them; valibot counts UTF-16 units. */

/** At least `requirement` characters. */
export function minCharacters(requirement: number) {
  return lengthCheck('min_length', requirement, (length) => length >= requirement)
}

/** At most `requirement` characters. */
export function maxCharacters(requirement: number) {
  return lengthCheck('max_length', requirement, (length) => length <= requirement)
}

type LengthIssue = v.BaseIssue<string> & { kind: 'validation'; type: 'min_length' | 'max_length'; requirement: number }

function lengthCheck(type: LengthIssue['type'], requirement: number, fits: (length: number) => boolean) {
  const check: v.BaseValidation<string, string, LengthIssue> & { requirement: number; message: undefined } = {
    kind: 'validation',
    type,
    reference: lengthCheck,
    async: false,
    expects: null,
    requirement,
    message: undefined,
    '~run'(dataset, config) {
      const length = dataset.typed ? [...dataset.value].length : undefined
      if (length !== undefined && !fits(length))
        v._addIssue(check, 'length', dataset, config, { received: `${length}` })
      return dataset as v.OutputDataset<string, LengthIssue>
    },
  }
  return check
}
