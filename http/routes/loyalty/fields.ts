/** Loyalty programs, memberships and ledger entries in answers. */
import * as v from 'valibot'

/** `cursor` of a ledger: the number of the last entry of the page before. */
export const ledgerCursor = v.optional(
  v.pipe(v.string(), v.regex(/^[1-9]\d{0,8}$/, 'must be the next_cursor of a page, a whole number')),
)
