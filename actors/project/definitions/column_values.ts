/**
 * Valid values of the columns that events may write, the same as for a PATCH. The type of an event's field only tells
 * the kind of value.
 */
import type * as v from 'valibot'
import { isUrl } from '../../outbound/mod.ts'
import { contactWritable, isCurrency, MAX_AVATAR_LENGTH, writableColumns } from '../../records/mod.ts'
import { inlineSchema } from '../../schema/mod.ts'
import { hasAtMost } from '../../values/characters.ts'
import { E164, phoneExpected } from '../../values/phone.ts'
import type { Target } from './targets.ts'

export type ColumnValue = {
  /** Never called with `null`, which clears any column. */
  accepts(value: unknown): boolean
  /** Text that follows "must be". */
  expected: string
}

const oneOf = (values: readonly string[]): ColumnValue => ({
  accepts: (value) => values.includes(value as string),
  expected: `one of ${values.join(', ')}`,
})

const text = (most: number): ColumnValue => ({
  accepts: (value) => typeof value === 'string' && value !== '' && hasAtMost(value, most),
  expected: `a text of 1 to ${most} characters`,
})

const number: ColumnValue = { accepts: Number.isFinite, expected: 'a finite number' }

/** Lengths are those of the text as it is sent: events do not compose it. */
function columnValueOf(schema: v.GenericSchema): ColumnValue {
  const { type, enum: values, maxLength } = inlineSchema(schema, 'request')
  if (values) return oneOf(values as string[])
  return type === 'number' ? number : text(maxLength as number)
}

function columnValuesOf(columns: Record<string, { wrapped: v.GenericSchema }>): Record<string, ColumnValue> {
  return Object.fromEntries(Object.entries(columns).map(([name, { wrapped }]) => [name, columnValueOf(wrapped)]))
}

const values: Record<Target['owner'], Record<string, ColumnValue>> = {
  ticket: {
    ...columnValuesOf(writableColumns.entries),
    amount_currency: {
      accepts: (value) => typeof value === 'string' && isCurrency(value),
      expected: 'a currency code of ISO 4217, such as MXN',
    },
  },
  contact: {
    ...columnValuesOf(contactWritable.entries),
    phone: {
      accepts: (value) => typeof value === 'string' && E164.test(value),
      expected: phoneExpected,
    },
    avatar: {
      accepts: (value) =>
        typeof value === 'string' &&
        hasAtMost(value, MAX_AVATAR_LENGTH) &&
        /^https?:\/\/[^\s/]/i.test(value) &&
        isUrl(value),
      expected: 'a URL that begins with https://',
    },
  },
}

/** The valid values of a target's column; undefined for a custom field. */
export function columnValue({ owner, field, type }: Target): ColumnValue | undefined {
  return type === undefined ? undefined : values[owner][field]
}
