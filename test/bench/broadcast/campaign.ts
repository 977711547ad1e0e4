/** The template and the recipients of a broadcast, on either side of the benchmark. */

/** A template that every account of the simulator has, with two variables. */
export const TEMPLATE = { name: 'order_update', language: 'en_US' }

/** The most recipients of one request. */
export const RECIPIENTS = 5000

export type Recipient = { phone: string; variables: { 1: string; 2: string } }

/** Returns `count` different people. Another `series` has other people. */
export function recipientsOf(count: number, series: number): Recipient[] {
  const phone = (n: number) => `+52155${String(series % 1000).padStart(3, '0')}${String(n).padStart(5, '0')}`
  return Array.from({ length: count }, (_, n) => ({ phone: phone(n), variables: { 1: 'Ana', 2: `A-${100_000 + n}` } }))
}
