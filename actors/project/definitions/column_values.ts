/**
 * Valid values of the columns that events may write, the same as for a PATCH. The type of an event's field only tells
 * the kind of value.
 */
import type { AmountStatus, TicketPriority } from '../../../storage/mod.ts'
import { hasAtMost } from '../../characters.ts'
import { isUrl } from '../../outbound/mod.ts'
import { E164, phoneExpected } from '../../phone.ts'
import type { Target } from './targets.ts'

export const ticketPriorities = ['low', 'medium', 'high', 'urgent'] as const satisfies readonly TicketPriority[]
export const amountStatuses = ['estimated', 'confirmed'] as const satisfies readonly AmountStatus[]

/** Characters of a ticket's `category`. */
export const MAX_CATEGORY_LENGTH = 200
/** Characters of all custom fields of a record together, as JSON. */
export const MAX_CUSTOM_FIELDS = 32_768
/** Maximum tags of a ticket. */
export const MAX_TICKET_TAGS = 100
/** Characters of a contact's `name`. */
export const MAX_NAME_LENGTH = 256
/** Characters of a contact's `avatar`. */
const MAX_AVATAR_LENGTH = 2048
const currencies = new Set(Intl.supportedValuesOf('currency'))

/** True for a code of ISO 4217, such as MXN. */
export function isCurrency(text: string): boolean {
  return currencies.has(text)
}

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

const values: Record<Target['owner'], Record<string, ColumnValue>> = {
  ticket: {
    priority: oneOf(ticketPriorities),
    category: text(MAX_CATEGORY_LENGTH),
    amount: {
      accepts: Number.isFinite,
      expected: 'a finite number',
    },
    amount_currency: {
      accepts: (value) => typeof value === 'string' && isCurrency(value),
      expected: 'a currency code of ISO 4217, such as MXN',
    },
    amount_status: oneOf(amountStatuses),
  },
  contact: {
    name: text(MAX_NAME_LENGTH),
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
