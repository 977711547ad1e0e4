import { InvalidArgumentError } from 'commander'

/** The parts of an option that takes several values, separated by commas; each counts once. */
export function parseList(text: string): string[] {
  const list = text.split(',').map((part) => part.trim())
  const parts = list.filter(Boolean)
  if (parts.length === 0) throw new InvalidArgumentError('Give at least one.')
  return [...new Set(parts)]
}
