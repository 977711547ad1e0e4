import { InvalidArgumentError } from 'commander'

export function parseOrder(text: string): number {
  if (/^\d{1,4}$/.test(text) && Number(text) <= 1000) return Number(text)
  throw new InvalidArgumentError('It must be a whole number from 0 to 1000.')
}
