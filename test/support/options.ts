/** The options of a program that `npm run` starts. */
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'

/** `--help` prints the usage and ends the process with 0; an option that is not known or lacks its value ends it with 2. */
export function readOptions<const Options extends ParseArgsOptionsConfig>(options: Options, usage: string) {
  return orUsage(usage, () => parseArgs({ options }).values)
}

/** The same, for a program that takes words beside its options: its `positionals`. */
export function readArguments<const Options extends ParseArgsOptionsConfig>(options: Options, usage: string) {
  return orUsage(usage, () => parseArgs({ options, allowPositionals: true }))
}

function orUsage<Result>(usage: string, read: () => Result): Result {
  if (process.argv.slice(2).some((word) => word === '--help' || word === '-h')) {
    process.stdout.write(`${usage}\n`)
    process.exit(0)
  }
  try {
    return read()
  } catch (error) {
    return endWith(`${(error as Error).message}\n${usage}`)
  }
}

/** Wrong usage. */
export function endWith(text: string): never {
  process.stderr.write(`${text}\n`)
  process.exit(2)
}
