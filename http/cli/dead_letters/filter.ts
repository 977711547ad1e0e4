/** Filters for the dead letters of a command. */
import { type Command, InvalidArgumentError } from 'commander'
import { mustBeInOrder, parseMoment } from '../options/time_option.ts'

export const LETTERS = '/admin/v1/dead-letters'

export type FilterOptions = {
  kind?: string
  address?: string
  type?: string
  error?: string
  since?: string
  until?: string
}

/** All given conditions must hold. */
export function withFilterOptions(command: Command): Command {
  return command
    .option('--kind <kind>', 'only for actors of this kind, such as channel')
    .option('--address <address>', 'only for this actor, such as channel/66f2a0c1d4e5f60718293a4b')
    .option('--type <type>', 'only messages of this type, such as dispatch')
    .option('--error <text>', 'only those whose error contains this')
    .option('--since <time>', 'parked at or after: 2h, 3d or ISO 8601', parseMoment)
    .option('--until <time>', 'parked before', parseMoment)
}

/** The given filter in the format of the API. @throws {CommandFailure} when the times are not in order */
export function filterOf({ kind, address, type, error, since, until }: FilterOptions): Record<string, string> {
  mustBeInOrder({ ...(since && { since }), ...(until && { until }) })
  const conditions = Object.entries({ kind, address, type, error, since, until })
  return Object.fromEntries(conditions.filter((pair): pair is [string, string] => pair[1] !== undefined))
}

export function parseLetterId(text: string): string {
  if (/^[1-9]\d{0,17}$/.test(text)) return text
  throw new InvalidArgumentError('It must be the number of a dead letter (parley dead-letters list).')
}
