/** The options of a program that `npm run` starts. */
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'

/**
 * Reads the options. `--help` prints the usage and ends the process with 0. An option that is unknown or lacks its
 * value ends the process with 2.
 */
export function readOptions<const Options extends ParseArgsOptionsConfig>(options: Options, usage: string) {
  return orUsage(usage, () => parseArgs({ options }).values)
}

/** Reads options and words beside them, the `positionals`. */
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

/** Ends the process because of wrong usage. */
export function endWith(text: string): never {
  process.stderr.write(`${text}\n`)
  process.exit(2)
}
