/** The lines of the card of a shared person, and of an order. No DOM. */
import { number } from '../../ui/format.js'

/** @typedef {import('../../../page_types/record.ts').AnyRecord} AnyRecord */

/**
 * All that a card says of a person beside the name.
 *
 * @param {AnyRecord} contact
 * @returns {string[]}
 */
export function cardLines({ org, phones, emails, addresses, urls, birthday }) {
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

/**
 * Each product of an order: how many, which one, and the price of one.
 *
 * @param {AnyRecord} order
 * @returns {[product: string, words: string][]}
 */
export function orderLines({ product_items }) {
  return listed(product_items).map(({ product_retailer_id, quantity, item_price, currency }) => {
    const price = typeof item_price === 'number' ? joined([priceText(item_price), currency], ' ') : ''
    return [String(product_retailer_id ?? 'A product'), joined([`× ${quantity ?? 1}`, price])]
  })
}

/** @param {number} price */
function priceText(price) {
  return Number.isInteger(price) ? number(price) : String(price)
}

/**
 * @param {unknown} list
 * @returns {AnyRecord[]}
 */
function listed(list) {
  return Array.isArray(list) ? list.filter((one) => typeof one === 'object' && one !== null) : []
}

/** @param {unknown[]} parts */
function joined(parts, between = ', ') {
  return parts.filter((part) => typeof part === 'string' && part !== '').join(between)
}
