/** `parley dead-letters replay` and `drop`. */
import type { Command } from 'commander'
import { type Api, ApiRefusal } from '../connection/api.ts'
import { connectAsOperator, type OperatorOptions, withOperatorOptions } from '../connection/connection.ts'
import { withExamples } from '../options/examples.ts'
import { mustAgree } from '../terminal/confirm.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { printJson, printLine, remark } from '../terminal/terminal.ts'
import { type FilterOptions, filterOf, LETTERS, parseLetterId, withFilterOptions } from './filter.ts'

type Options = OperatorOptions & FilterOptions & { all?: boolean; yes?: boolean; json?: boolean }

type Act = {
  word: 'replay' | 'drop'
  /** Beginning of the question. */
  verb: string
  done: 'replayed' | 'dropped'
  refusal: string
  one(api: Api, id: string): Promise<unknown>
  /** Given ids need no question, unless the action loses data for good. */
  asks_about_ids: boolean
}

const REPLAY: Act = {
  word: 'replay',
  verb: 'Replay',
  done: 'replayed',
  refusal: 'Nothing is replayed',
  one: (api, id) => api.call('POST', `${LETTERS}/${id}/replay`),
  asks_about_ids: false,
}
const DROP: Act = {
  word: 'drop',
  verb: 'Drop for good',
  done: 'dropped',
  refusal: 'Nothing is dropped',
  one: (api, id) => api.call('DELETE', `${LETTERS}/${id}`),
  asks_about_ids: true,
}

export function addActCommands(letters: Command): void {
  const replay = actCommand(letters, REPLAY)
    .summary('tell them to their actors again')
    .description(
      'Sends dead letters to their actors again, each once, the oldest first. A message that fails again is parked ' +
        'again, under a new id. Asks for confirmation when letters are selected by filter.',
    )
  withExamples(replay, [
    'parley dead-letters replay 17',
    'parley dead-letters replay --kind channel --type dispatch --since 2h',
    'parley dead-letters replay --all --yes',
  ])
  const drop = actCommand(letters, DROP)
    .summary('forget them for good')
    .description('Deletes dead letters: their messages are lost for good. Asks for confirmation.')
  withExamples(drop, ['parley dead-letters drop 17 --yes', "parley dead-letters drop --error 'was deleted' --yes"])
}

function actCommand(letters: Command, act: Act): Command {
  const command = withOperatorOptions(letters.command(act.word))
    .argument('[ids...]', 'the dead letters (parley dead-letters list)', collectIds)
    .option('--all', 'all of them')
  return withFilterOptions(command)
    .option('--yes', 'do not ask')
    .option('--json', 'print JSON')
    .action((ids: string[], options: Options) => run(act, ids, options))
}

function collectIds(text: string, before: string[] = []): string[] {
  return [...before, parseLetterId(text)]
}

async function run(act: Act, ids: string[], options: Options): Promise<void> {
  const filter = filterOf(options)
  const ways = [ids.length > 0, Object.keys(filter).length > 0, options.all === true].filter(Boolean).length
  if (ways === 0) throw new CommandFailure('Which ones? Give ids, options such as --type and --since, or --all.', 2)
  if (ways > 1) throw new CommandFailure('Give either ids, or options such as --type and --since, or --all.', 2)
  const { api } = connectAsOperator(options)
  if (ids.length > 0) await actOnIds(act, [...new Set(ids)], api, options)
  else await actOnAll(act, filter, api, options)
}

/**
 * @throws {CommandFailure} when some are gone, after the others were processed
 */
async function actOnIds(act: Act, ids: string[], api: Api, { yes, json }: Options): Promise<void> {
  if (act.asks_about_ids && !yes) await mustAgree({ question: question(act, ids.length), refusal: act.refusal })
  const gone: string[] = []
  for (const id of ids) {
    try {
      await act.one(api, id)
    } catch (error) {
      if (!(error instanceof ApiRefusal && error.status === 404)) throw error
      gone.push(id)
    }
  }
  tell(act, ids.length - gone.length, json)
  if (gone.length === 0) return
  const which = gone.length === 1 ? `Dead letter ${gone[0]} is` : `Dead letters ${gone.join(', ')} are`
  throw new CommandFailure(`${which} not there: replayed, dropped or forgotten before.`)
}

/** Letters parked after the question stay. */
async function actOnAll(act: Act, filter: Record<string, string>, api: Api, { yes, json }: Options): Promise<void> {
  const query = new URLSearchParams({ ...filter, limit: '1' })
  const { data, total } = await api.call<{ data: { id: string }[]; total: number }>('GET', `${LETTERS}?${query}`)
  if (total === 0) {
    if (json) tell(act, 0, json)
    else remark(Object.keys(filter).length > 0 ? 'No dead letter is like that.' : 'There are no dead letters.')
    return
  }
  if (!yes) await mustAgree({ question: question(act, total), refusal: act.refusal })
  const body = { ...filter, max_id: data[0]!.id, ...(act === DROP && { confirm: true }) }
  let count = 0
  for (;;) {
    const answer = await api.call<Record<string, number>>('POST', `${LETTERS}/${act.word}`, body)
    const acted = answer[act.done]!
    count += acted
    if (answer.remaining === 0) return tell(act, count, json)
    if (acted === 0) break
    remark(`${count} ${act.done}, ${answer.remaining} remain.`)
  }
  throw new CommandFailure(`${count} were ${act.done}; the rest could not be. Try again.`)
}

function question({ verb }: Act, count: number): string {
  return `${verb}: ${count === 1 ? '1 dead letter' : `${count} dead letters`}?`
}

function tell({ done }: Act, count: number, json: boolean | undefined): void {
  if (json) printJson({ [done]: count })
  else printLine(`${count} ${done}.`)
  if (!json && done === 'replayed' && count > 0) {
    remark('Replayed means told again. List once more: what failed again has a new id.')
  }
}
