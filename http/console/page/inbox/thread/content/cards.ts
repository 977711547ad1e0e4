/** The lines of the card of a shared person, and of an order. No DOM. */
import type { AnyRecord } from '../../../records/record.ts'
import { number } from '../../../ui/format/format.ts'

/** All that a card says of a person beside the name. */
export function cardLines({ org, phones, emails, addresses, urls, birthday }: AnyRecord): string[] {
  const lines = [
    joined([org?.title, org?.department, org?.company]),
    ...listed(phones).map(({ phone, wa_id }) => phone ?? wa_id),
    ...listed(emails).map(({ email }) => email),
    ...listed(addresses).map(({ street, zip, city, state, country, country_code }) =>
      joined([street, joined([zip, city], ' '), state, country ?? country_code]),
    ),
    ...listed(urls).map(({ url }) => url),
    birthday,
  ]
  return [...new Set(lines.filter((line) => typeof line === 'string' && line !== ''))]
}

/** Each product of an order: how many, which one, and the price of one. */
export function orderLines({ product_items }: AnyRecord): [product: string, words: string][] {
  return listed(product_items).map(({ product_retailer_id, quantity, item_price, currency }) => {
    const price = typeof item_price === 'number' ? joined([priceText(item_price), currency], ' ') : ''
    return [String(product_retailer_id ?? 'A product'), joined([`× ${quantity ?? 1}`, price])]
  })
}

function priceText(price: number) {
  return Number.isInteger(price) ? number(price) : String(price)
}

function listed(list: unknown): AnyRecord[] {
  return Array.isArray(list) ? list.filter((one) => typeof one === 'object' && one !== null) : []
}

function joined(parts: unknown[], between = ', ') {
  return parts.filter((part) => typeof part === 'string' && part !== '').join(between)
}
