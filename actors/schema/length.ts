import * as v from 'valibot'
import { hasAtLeast, hasAtMost } from '../values/characters.ts'

/** Lengths of texts in Unicode characters (code points), as JSON Schema counts them; valibot counts UTF-16 units. */

/** At least `requirement` characters. */
export function minCharacters(requirement: number, message?: string) {
  return lengthCheck('min_length', requirement, message, hasAtLeast)
}

/** At most `requirement` characters. */
export function maxCharacters(requirement: number, message?: string) {
  return lengthCheck('max_length', requirement, message, hasAtMost)
}

type LengthIssue = v.BaseIssue<string> & { kind: 'validation'; type: 'min_length' | 'max_length'; requirement: number }
type LengthCheck = v.BaseValidation<string, string, LengthIssue> & { requirement: number; message: string | undefined }

function lengthCheck(
  type: LengthIssue['type'],
  requirement: number,
  message: string | undefined,
  fits: (text: string, requirement: number) => boolean,
) {
  const check: LengthCheck = {
    kind: 'validation',
    type,
    reference: lengthCheck,
    async: false,
    expects: null,
    requirement,
    message,
    '~run'(dataset, config) {
      if (dataset.typed && !fits(dataset.value, requirement)) v._addIssue(check, 'length', dataset, config)
      return dataset as v.OutputDataset<string, LengthIssue>
    },
  }
  return check
}
