import * as v from 'valibot'
import { across, fieldsOf } from '../../../actors/mod.ts'
import { instantExpected, isLocalTime, parseInstant } from './moment.ts'

const iso = v.isoTimestamp(`must be ${instantExpected}`)

/** valibot checks the form only, and accepts days that no calendar has. */
const isInstant: typeof iso = {
  ...iso,
  '~run'(dataset, config) {
    if (dataset.typed && !parseInstant(dataset.value)) v._addIssue(iso, 'timestamp', dataset, config)
    return dataset as ReturnType<(typeof iso)['~run']>
  },
}

/** A moment as clients write it, in any time zone; handlers get it in UTC with milliseconds. */
export const instant = v.pipe(
  v.string(`must be ${instantExpected}`),
  isInstant,
  v.transform((text) => parseInstant(text)!.toISOString()),
)

/** A moment in a query. A `+` that was not written as %2B arrives as a space. */
export const instantQuery = v.pipe(
  v.string(),
  v.transform((text) => text.replace(/ (?=\d\d:\d\d$)/, '+')),
  instant,
)

const clientTimeExpected = `${instantExpected}; or a local time of its zone, such as 2026-11-21T10:00`

/** A moment, or the time that clocks of a zone show then; handlers get which of the two it is. */
export const clientTime = v.pipe(
  v.string(`must be ${clientTimeExpected}`),
  v.check((text) => isLocalTime(text) || parseInstant(text) !== undefined, `must be ${clientTimeExpected}`),
  v.transform((text) =>
    isLocalTime(text) ? { local: text.toUpperCase() } : { instant: parseInstant(text)!.toISOString() },
  ),
)

/** Parameters of a list with a range of time: `since` is in it, `until` is not. Their schema also needs `inOrder`. */
export const range = { since: v.optional(instantQuery), until: v.optional(instantQuery) }

/** Refuses a range that ends before it begins, which would be empty without a reason. */
export function inOrder<Input>(begin = 'since', end = 'until') {
  return across<Input>((value, say) => {
    const [begins, ends] = [momentOf(fieldsOf(value)[begin]), momentOf(fieldsOf(value)[end])]
    if (begins && ends && ends < begins) say(`must not be before ${begin}`, [end])
  })
}

function momentOf(value: unknown): Date | undefined {
  if (value instanceof Date) return value
  return typeof value === 'string' ? parseInstant(value) : undefined
}
