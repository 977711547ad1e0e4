import * as v from 'valibot'
import { composed } from '../../storage/mod.ts'

/** One form for texts that look the same (NFC). It may stand before the check of the length, for it takes linear time. */
export function composedText() {
  const action = v.normalize('NFC')
  return {
    ...action,
    '~run': ((dataset) => {
      dataset.value = composed(dataset.value)
      return dataset
    }) as (typeof action)['~run'],
  }
}
