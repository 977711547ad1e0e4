/** What is sent to whom, on either side of the benchmark. */

/** A template that every account of the simulator has, with two variables. */
export const TEMPLATE = { name: 'order_update', language: 'en_US' }

/** The most that one request takes. */
export const RECIPIENTS = 5000

export type Recipient = { phone: string; variables: { 1: string; 2: string } }

/** As many people as told, nobody twice; those of another `series` are others. */
export function recipientsOf(count: number, series: number): Recipient[] {
  const phone = (n: number) => `+52155${String(series % 1000).padStart(3, '0')}${String(n).padStart(5, '0')}`
  return Array.from({ length: count }, (_, n) => ({ phone: phone(n), variables: { 1: 'Ana', 2: `A-${100_000 + n}` } }))
}
