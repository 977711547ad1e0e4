/** `parley retention show` and `set`. */

import type { Command } from 'commander'
import { connectAsOperator, type OperatorOptions, withOperatorOptions } from '../connection/connection.ts'
import { withExamples } from '../options/examples.ts'
import type { RetentionSetting } from '../records/generated.ts'
import { mustAgree } from '../terminal/confirm.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { printJson, remark, table } from '../terminal/terminal.ts'
import { projectOf, withProjectOption } from './project_option.ts'

type Options = OperatorOptions & { project?: string; json?: boolean; yes?: boolean }

export function addRetentionCommands(program: Command): void {
  const retention = program
    .command('retention')
    .summary('for how many days a project keeps its records')
    .description('Shows and changes for how many days a project keeps each kind of record.')

  const show = withProjectOption(withOperatorOptions(retention.command('show')))
    .summary('show the days of each kind')
    .description('Shows for how many days a project keeps each kind of record.')
    .option('--json', 'print JSON')
    .action(showRetention)
  withExamples(show, ['parley retention show', "parley retention show --json | jq '.[] | select(.is_default | not)'"])

  const set = withProjectOption(withOperatorOptions(retention.command('set')))
    .summary('change the days of some kinds')
    .description(
      'Changes for how many days a project keeps some kinds of records: a number of days, "forever" or "default". ' +
        'Records that are older are deleted within an hour, for good. Asks for confirmation when days are reduced.',
    )
    .argument('<settings...>', 'such as messages=365 (parley retention show lists the kinds)')
    .option('--yes', 'do not ask')
    .option('--json', 'print JSON')
    .action(setRetention)
  withExamples(set, [
    'parley retention set messages=365 crm_events=forever --yes',
    'parley retention set messages=default --project 66f2a0c1d4e5f60718293a4b',
  ])
}

async function showRetention(options: Options): Promise<void> {
  const { api, demo } = connectAsOperator(options)
  const { data } = await api.call<{ data: RetentionSetting[] }>('GET', pathOf(projectOf(options, demo)))
  print(data, options)
}

async function setRetention(words: string[], options: Options): Promise<void> {
  const changes = changesOf(words)
  const { api, demo } = connectAsOperator(options)
  const path = pathOf(projectOf(options, demo))
  const { data: present }: { data: RetentionSetting[] } = await api.call('GET', path)
  const reduced = present.filter((setting) => isReduced(setting, changes[setting.kind]))
  if (reduced.length > 0 && !options.yes) {
    const what = reduced.map(({ kind }) => kind.replaceAll('_', ' ')).join(', ')
    await mustAgree({
      question: `Delete older records for good, within an hour: ${what}?`,
      refusal: 'Nothing is changed',
    })
  }
  const { data } = await api.call<{ data: RetentionSetting[] }>('PATCH', path, changes)
  print(data, options)
}

const pathOf = (project_id: string) => `/admin/v1/projects/${encodeURIComponent(project_id)}/retention`

type Days = number | null | 'default'

/** @throws {CommandFailure} for a word that is no setting */
function changesOf(words: string[]): Record<string, Days> {
  const pairs = words.map((word): [string, Days] => {
    const [, kind, value] = /^([a-z_]+)=([1-9]\d{0,4}|forever|default)$/.exec(word) ?? []
    if (kind === undefined || value === undefined) {
      throw new CommandFailure(
        `"${word}" is no setting: write a kind, = and a number of days from 1, "forever" or "default", such as messages=365.`,
        2,
      )
    }
    return [kind, value === 'forever' ? null : value === 'default' ? value : Number(value)]
  })
  return Object.fromEntries(pairs)
}

function isReduced({ days, default_days }: RetentionSetting, change: Days | undefined): boolean {
  if (change === undefined) return false
  const new_days = change === 'default' ? default_days : change
  return new_days !== null && (days === null || new_days < days)
}

function print(settings: RetentionSetting[], { json }: Options): void {
  if (json) {
    printJson(settings)
    return
  }
  const rows = settings.map(({ kind, days, is_default, meaning }) => [
    kind,
    days === null ? 'forever' : String(days),
    is_default ? '' : 'own',
    meaning,
  ])
  process.stdout.write(table(['kind', 'days', '', 'what'], rows, 3))
  if (settings.every(({ is_default }) => is_default)) remark('All kinds have their defaults.')
}
