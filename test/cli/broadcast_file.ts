/** The recipients of a broadcast as a file has them. */

export const person = (n: number) => `+1555${3_000_000 + n}`

export const fileFor = (count: number) =>
  `phone;1;2\n${Array.from({ length: count }, (_, n) => `${person(n)};Ana;A-${n}\n`).join('')}`

export const ORDER = ['--template', 'order_update', '--language', 'en_US']
