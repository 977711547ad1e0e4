/** `parley data erase` and `parley data erasures`. */

import type { Command } from 'commander'
import type { Api } from '../connection/api.ts'
import { connectAsOperator, type OperatorOptions, withOperatorOptions } from '../connection/connection.ts'
import { limitOption } from '../connection/pages.ts'
import { poll } from '../connection/poll.ts'
import { withExamples } from '../options/examples.ts'
import { shortTime } from '../options/time_option.ts'
import type { Erasure } from '../records/generated.ts'
import { mustAgree } from '../terminal/confirm.ts'
import { paint, printJson, printLine, remark, table } from '../terminal/terminal.ts'
import { countsInWords, type SubjectOptions, subjectOf, withSubjectOptions } from './subject_option.ts'

type EraseOptions = OperatorOptions & SubjectOptions & { reason?: string; yes?: boolean; wait: boolean; json?: boolean }
type ListOptions = OperatorOptions & { identity?: string; running?: boolean; limit: number; json?: boolean }

const ERASURES = '/admin/v1/erasures'
/** A preview stops counting a kind after so many records. */
const MAX_COUNTED = 1000

export function addEraseCommands(data: Command): void {
  const erase = withSubjectOptions(withOperatorOptions(data.command('erase')))
    .summary('erase a person or a project for good')
    .description(
      'Erases a contact, a customer with all contacts, or a whole project: records, files, webhook events and all ' +
        'else that names the person. A proof without personal data stays. Shows the counts and asks for confirmation.',
    )
    .option('--reason <text>', 'kept with the proof; must not contain personal data')
    .option('--no-wait', 'do not wait for the end')
    .option('--yes', 'do not ask')
    .option('--json', 'print JSON')
    .action(eraseSubject)
  withExamples(erase, [
    'parley data erase --customer 66f2a0c1d4e5f60718293a4b --reason "Request 17" --yes',
    'parley data erase --customer 66f2a0c1d4e5f60718293a4b --yes --no-wait --json | jq .phase',
  ])

  const erasures = withOperatorOptions(data.command('erasures'))
    .summary('list erasures, or ask whether a number was erased')
    .description('Lists erasures with their proofs, newest first.')
    .option('--identity <text>', 'only those that erased this phone, address or id within a channel')
    .option('--running', 'only those under way')
    .addOption(limitOption())
    .option('--json', 'print JSON')
    .action(listErasures)
  withExamples(erasures, ['parley data erasures --running', 'parley data erasures --identity +15551234567'])
}

async function eraseSubject({ reason, yes, wait, json, ...options }: EraseOptions): Promise<void> {
  const subject = subjectOf(options)
  const { api } = connectAsOperator(options)
  const { counts } = await api.call<Pick<Erasure, 'counts'>>(
    'GET',
    `/admin/v1/erasure-preview?${new URLSearchParams(subject)}`,
  )
  if (!yes) {
    await mustAgree({
      question: `Erase this ${subject.kind} for good: ${countsInWords(counts, MAX_COUNTED)}?`,
      refusal: 'Nothing is erased',
    })
  }
  const begun: Erasure = await api.call('POST', ERASURES, { ...subject, ...(reason && { reason }), confirm: true })
  const erasure = wait ? await ended(api, begun, json) : begun
  if (json) printJson(erasure)
  else if (erasure.status === 'running') printLine(`Erasure ${erasure._id} is under way.`)
  else printLine(`Erased: ${countsInWords(erasure.counts)}. Proof: ${erasure._id}.`)
}

async function ended(api: Api, { _id }: Erasure, json: boolean | undefined): Promise<Erasure> {
  let last_line = ''
  return poll(api, async () => {
    const erasure: Erasure = await api.call('GET', `${ERASURES}/${_id}`)
    const state = erasure.waits_for ? `${erasure.phase}, waits for ${erasure.waits_for}` : (erasure.phase ?? '')
    if (!json && erasure.status === 'running' && state !== last_line) remark(paint('dim', state, process.stderr))
    last_line = state
    return erasure.status === 'done' ? erasure : undefined
  })
}

async function listErasures({ identity, running, limit, json, ...options }: ListOptions): Promise<void> {
  const { api } = connectAsOperator(options)
  const filter = { ...(identity && { identity }), ...(running && { status: 'running' }) }
  const erasures: Erasure[] = []
  let total = 1
  while (erasures.length < Math.min(limit, total)) {
    const page = { limit: String(Math.min(200, limit - erasures.length)), offset: String(erasures.length) }
    const path = `${ERASURES}?${new URLSearchParams({ ...filter, ...page })}`
    const answer = await api.call<{ data: Erasure[]; total: number }>('GET', path)
    erasures.push(...answer.data)
    total = answer.total
    if (answer.data.length === 0) break
  }
  if (json) printJson(erasures)
  else if (erasures.length === 0) remark(identity ? 'No erasure had this identity.' : 'There are no erasures.')
  else {
    const rows = erasures.map(({ _id, created_at, kind, subject_id, status, phase, requested_by, counts }) => [
      _id,
      shortTime(created_at),
      `${kind} ${subject_id}`,
      status === 'done' ? 'done' : `running: ${phase}`,
      requested_by,
      countsInWords(counts),
    ])
    process.stdout.write(table(['erasure', 'begun (UTC)', 'of', 'status', 'by', 'erased'], rows, 5))
  }
  if (total > erasures.length)
    remark(paint('dim', `${total - erasures.length} more: a greater --limit shows them.`, process.stderr))
}
