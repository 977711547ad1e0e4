/** `parley contacts list`, `merge`, `merges`, `unmerge`, `take-thread` and `release-thread`. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Command } from 'commander'
import type { Api } from '../connection/api.ts'
import { connectAsProject, type TokenOptions, withTokenOptions } from '../connection/connection.ts'
import { limitOption, readPages } from '../connection/pages.ts'
import { withExamples } from '../options/examples.ts'
import { shortTime } from '../options/time_option.ts'
import { paint, printable, printJson, printLine, remark, table } from '../terminal/terminal.ts'
import { addThreadCommands } from './threads.ts'

type Options = TokenOptions & { json?: boolean }

type Contact = { _id: string; channel_type: string; name: string | null; user_id: string; last_seen_at: string }

type Merge = {
  _id: string
  contact_id: string
  from_contact_id: string
  from_contact: { name: string | null; phone: string | null; user_id: string }
  status: 'merging' | 'merged' | 'undoing' | 'undone'
  reason: 'request' | 'proof'
  created_at: string
  undo_until: string
}

const CONTACTS = '/v1/contacts'
const ONE = '66f2a0c1d4e5f60718293a4c'
const OTHER = '66f2a0c1d4e5f60718293a71'
const MERGE = '66f2a0c1d4e5f60718293a70'

/** Between two looks at a merge whose records are being moved. */
const PAUSE_MS = 300
/** Looks; a contact with a hundred thousand messages takes a minute. */
const MAX_LOOKS = 1000

export function addContactCommands(program: Command): void {
  const contacts = program
    .command('contacts')
    .summary('find people, make two contacts of one person one, move conversations')
    .description(
      'Finds contacts of a project, merges those of one person and separates them again, and moves conversations between the apps of ' +
        'the business.',
    )

  const list = withTokenOptions(contacts.command('list'))
    .summary('list contacts')
    .description('Lists the contacts of the project, newest first.')
    .option('--search <text>', 'only those whose name, phone or id contains this')
    .addOption(limitOption())
    .option('--json', 'print JSON')
    .action(listContacts)
  withExamples(list, ['parley contacts list --search ana'])

  const merge = withTokenOptions(contacts.command('merge'))
    .summary('make two contacts one')
    .description(
      'Makes the other contact a part of the first one, which keeps its id and its values. All records of the other ' +
        'one become those of the first one. For 30 days `parley contacts unmerge` separates them again.',
    )
    .argument('<contact>', 'the contact that stays (parley contacts list)')
    .argument('<other>', 'the contact that becomes part of it')
    .option('--json', 'print JSON')
    .action(mergeContacts)
  withExamples(merge, [`parley contacts merge ${ONE} ${OTHER}`])

  const merges = withTokenOptions(contacts.command('merges'))
    .summary('list the merges of a contact')
    .description('Lists the merges of a contact, newest first, those that were undone too.')
    .argument('<contact>', 'the contact, by its id or that of one that was merged into it')
    .option('--json', 'print JSON')
    .action(listMerges)
  withExamples(merges, [`parley contacts merges ${ONE}`])

  const unmerge = withTokenOptions(contacts.command('unmerge'))
    .summary('undo a merge')
    .description(
      'Separates two contacts again. Each gets what it had, and what came and went under its ids since the merge.',
    )
    .argument('<contact>', 'one of the contacts')
    .argument('<merge>', 'the merge (parley contacts merges)')
    .option('--json', 'print JSON')
    .action(undoMerge)
  withExamples(unmerge, [`parley contacts unmerge ${ONE} ${MERGE}`])
  addThreadCommands(contacts)
}

async function listContacts({ search, limit, json, ...options }: Options & { search?: string; limit: number }) {
  const { rows, more } = await readPages<Contact>(connectAsProject(options), CONTACTS, { search }, limit)
  if (json) printJson(rows)
  else if (rows.length === 0) remark(search ? 'No contact matches.' : 'There are no contacts.')
  else {
    const lines = rows.map(({ _id, channel_type, name, user_id, last_seen_at }) => [
      _id,
      channel_type,
      user_id,
      shortTime(last_seen_at),
      printable(name ?? ''),
    ])
    process.stdout.write(table(['contact', 'channel', 'id there', 'seen (UTC)', 'name'], lines, 4))
  }
  if (more) remark(paint('dim', 'There are more: a greater --limit shows them.', process.stderr))
}

async function mergeContacts(id: string, from_contact_id: string, options: Options): Promise<void> {
  const api = connectAsProject(options)
  const merge = await settled(api, await api.call('POST', `${pathOf(id)}/merge`, { from_contact_id }))
  if (options.json) return printJson(merge)
  printLine(`${nameOf(merge)} (${merge.from_contact_id}) is part of ${merge.contact_id} now.`)
  remark(
    `Until ${shortTime(merge.undo_until)} this undoes it: parley contacts unmerge ${merge.contact_id} ${merge._id}`,
  )
}

async function listMerges(id: string, options: Options): Promise<void> {
  const { data }: { data: Merge[] } = await connectAsProject(options).call('GET', `${pathOf(id)}/merges?limit=200`)
  if (options.json) return printJson(data)
  if (data.length === 0) return remark('The contact was never merged.')
  const rows = data.map((merge) => [
    merge._id,
    shortTime(merge.created_at),
    merge.status,
    merge.contact_id,
    merge.from_contact_id,
    nameOf(merge),
  ])
  process.stdout.write(table(['merge', 'made (UTC)', 'status', 'contact', 'other contact', 'its name'], rows, 5))
}

async function undoMerge(id: string, merge_id: string, options: Options): Promise<void> {
  const api = connectAsProject(options)
  const merge = await settled(api, await api.call('POST', `${pathOf(id)}/merges/${encodeURIComponent(merge_id)}/undo`))
  if (options.json) printJson(merge)
  else printLine(`${nameOf(merge)} (${merge.from_contact_id}) is a contact of its own again.`)
}

const pathOf = (id: string) => `${CONTACTS}/${encodeURIComponent(id)}`

const nameOf = ({ from_contact: { name, phone, user_id } }: Merge) => printable(name ?? phone ?? user_id)

/** The merge once all records are moved. */
async function settled(api: Api, merge: Merge): Promise<Merge> {
  let present = merge
  for (let look = 0; look < MAX_LOOKS && /ing$/.test(present.status); look++) {
    if (look > 0) await pause(PAUSE_MS)
    const { data }: { data: Merge[] } = await api.call('GET', `${pathOf(merge.contact_id)}/merges?limit=200`)
    present = data.find(({ _id }) => _id === merge._id) ?? present
  }
  return present
}
