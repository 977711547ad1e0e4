/** Runs test files in a few processes beside each other, and each file that fails once more, alone. */
import { Lanes } from './lanes.ts'
import { type Outcome, printResult, seedOf } from './results.ts'
import type { Sharing } from './sharing.ts'
import { mixed } from './test_files.ts'
import { type FileResult, TestProcess } from './test_process.ts'

/** A fixed number of test files at once; without one it follows the machine. */
const FIXED_LANES = Number(process.env.PARLEY_TEST_LANES) || undefined

/**
 * `takes_long`: files that mostly wait. They run beside each other in a quarter of the lanes from the beginning, so that
 * cores have work meanwhile and none of these files comes last.
 */
export async function runFiles(
  files: readonly string[],
  env: NodeJS.ProcessEnv,
  sharing: Sharing,
  signal: AbortSignal,
  takes_long: ReadonlySet<string> = new Set(),
): Promise<Outcome[]> {
  const mixed_files = mixed(files)
  const long = mixed_files.filter((file) => takes_long.has(file))
  const short = mixed_files.filter((file) => !takes_long.has(file))
  const results: FileResult[] = []
  const lanes = new Lanes(FIXED_LANES)
  async function lane(number: number) {
    let shared: TestProcess | null = null
    const is_patient = number < lanes.max / 4
    const next = async () => {
      await lanes.turn(number)
      return is_patient ? (long.shift() ?? short.shift()) : (short.shift() ?? long.shift())
    }
    for (let file = await next(); file && !signal.aborted; file = await next()) {
      shared ??= new TestProcess(env, signal, sharing.answer)
      const result = await shared.run(file)
      results.push(result)
      printResult(result)
      if (!shared.is_usable) {
        await shared.end()
        shared = null
      }
    }
    lanes.end()
    await shared?.end()
  }
  const count = Math.min(lanes.max, files.length)
  await Promise.all(Array.from({ length: count }, (_, number) => lane(number)))
  const outcomes: Outcome[] = []
  for (const result of results) outcomes.push(await judge(result, env, sharing, signal, files.length === 1))
  return outcomes
}

/**
 * Runs a file that failed once more. A failure of random choices is repeated with the same choices, so that no fault of
 * the product passes for a fault of the test.
 */
async function judge(
  result: FileResult,
  env: NodeJS.ProcessEnv,
  sharing: Sharing,
  signal: AbortSignal,
  is_alone: boolean,
): Promise<Outcome> {
  if (result.failed === 0) return { ...result, verdict: 'passed' }
  // A file that was named alone has already run alone.
  if (signal.aborted || is_alone) return { ...result, verdict: 'failed' }
  const [name, seed] = seedOf(result.report)?.split('=') ?? []
  const seeded = name === undefined ? env : { ...env, [name]: seed }
  process.stdout.write(`\nonce more, alone: ${result.file}\n`)
  const alone = new TestProcess(seeded, signal, (wanted) => sharing.answer(wanted, true))
  const again = await alone.run(result.file)
  await alone.end()
  printResult(again)
  return { ...result, verdict: again.failed === 0 ? 'unsteady' : 'failed', again }
}
