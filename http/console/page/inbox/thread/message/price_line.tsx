/** The price of a message, among its actions. */

import { nameOfType } from '../../../crm/preview.ts'
import type { AnyRecord } from '../../../records/record.ts'
import { costText } from '../../../ui/format/figures.ts'

/** `USD 0.0305 · marketing`, and `Free` for what is not charged. */
export function PriceLine({ amount, currency, category, billable }: AnyRecord) {
  const price = !billable ? 'Free' : amount === null ? 'No rate known' : costText({ amount, currency })
  return (
    <p class="faint inbox-price">
      {price} · {nameOfType(category).toLowerCase()}
    </p>
  )
}
