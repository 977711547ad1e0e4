/** `parley top`. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { type Api, ApiRefusal, Unreachable } from '../connection/api.ts'
import { connectAsOperator, type OperatorOptions, withOperatorOptions } from '../connection/connection.ts'
import { withExamples } from '../options/examples.ts'
import { paint, printJson, remark } from '../terminal/terminal.ts'
import { frameOf } from './frame.ts'
import { type Activity, sampleOf } from './sample.ts'
import { columnsOf, Screen } from './screen.ts'

type Options = OperatorOptions & { once?: boolean; every: number; tenants: number; json?: boolean }

/** A node that is alive answers far sooner. */
const PATIENCE_MS = 5_000

export function addTopCommand(program: Command): void {
  const top = withOperatorOptions(program.command('top'))
    .summary('watch the nodes, rates, queues and busiest tenants')
    .description(
      'Shows the work of a cluster until q is typed: its nodes and partitions, rates, backlogs, and the projects ' +
        'that make most work. Loop: the 99th percentile of the delay of the event loop. Taken in: messages in the ' +
        'memory of a node, not applied yet. Work: requests and messages that the actors of a project handle.',
    )
    .option('--once', 'show it once')
    .addOption(new Option('--every <seconds>', 'seconds between two looks').default(2, '2').argParser(parseSeconds))
    .addOption(new Option('--tenants <number>', 'maximum number of projects').default(10, '10').argParser(parseTenants))
    .option('--json', 'print JSON, without --once one object a line')
    .action(watch)
  withExamples(top, ['parley top --once', "parley top --once --json | jq '.rates.requests'"])
}

async function watch(options: Options): Promise<void> {
  const { api } = connectAsOperator(options)
  const look = (): Promise<Activity> => api.call('GET', '/admin/v1/activity', undefined, { patience_ms: PATIENCE_MS })
  let before = await look()
  if (options.once) {
    await sleep(options.every * 1000)
    const sample = sampleOf(before, await look())
    if (options.json) printJson(sample)
    else process.stdout.write(frameOf(sample, api.base_url, options.tenants, columnsOf(process.stdout)))
    return
  }
  const screen = new Screen({ is_drawn: !options.json && process.stdout.isTTY })
  try {
    while (await pause(screen, options.every)) {
      const now = await lookAgain(look)
      if (!now) {
        tellAway(api, options, screen)
        continue
      }
      const sample = sampleOf(before, now)
      screen.show((columns) =>
        options.json ? JSON.stringify(sample) : frameOf(sample, api.base_url, options.tenants, columns),
      )
      before = now
    }
  } finally {
    screen.close()
  }
}

/** Undefined while the server is away, as during a restart. */
async function lookAgain(look: () => Promise<Activity>): Promise<Activity | undefined> {
  try {
    return await look()
  } catch (error) {
    const is_passing = error instanceof Unreachable || (error instanceof ApiRefusal && error.status >= 500)
    if (!is_passing) throw error
    return undefined
  }
}

function tellAway({ base_url }: Api, { json }: Options, screen: Screen): void {
  const sentence = `${base_url} does not answer now; looking again.`
  if (json) remark(sentence)
  else screen.show(() => paint('red', sentence))
}

/** False when the frames are to end. */
async function pause(screen: Screen, seconds: number): Promise<boolean> {
  const waiting = new AbortController()
  const over = sleep(seconds * 1000, true, { signal: waiting.signal }).catch(() => false)
  const goes_on = await Promise.race([over, screen.ended.then(() => false)])
  waiting.abort()
  return goes_on
}

function parseSeconds(text: string): number {
  const seconds = /^\d{1,4}(\.\d{1,3})?$/.test(text) ? Number(text) : 0
  if (seconds >= 0.1) return seconds
  throw new InvalidArgumentError('It must be a number of seconds, 0.1 or more.')
}

function parseTenants(text: string): number {
  if (/^\d{1,2}$/.test(text) && Number(text) >= 1 && Number(text) <= 20) return Number(text)
  throw new InvalidArgumentError('It must be a whole number from 1 to 20.')
}
