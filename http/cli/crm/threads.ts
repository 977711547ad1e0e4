/** `parley contacts take-thread` and `release-thread`. */
import type { Command } from 'commander'
import { connectAsProject, type TokenOptions, withTokenOptions } from '../connection/connection.ts'
import { withExamples } from '../options/examples.ts'
import { printJson, printLine } from '../terminal/terminal.ts'

type Options = TokenOptions & { channel?: string; to?: string; json?: boolean }

type Contact = { threads: { channel_id: string; holder: keyof typeof HOLDERS }[] }

const HOLDERS = {
  parley: 'Parley has the conversation.',
  meta_agent: 'Meta’s agent has the conversation.',
  app: 'Another app has the conversation.',
  nobody: 'No app has the conversation until the person writes.',
}

const ONE = '66f2a0c1d4e5f60718293a4c'

export function addThreadCommands(contacts: Command): void {
  const take = withTokenOptions(contacts.command('take-thread'))
    .summary('take a conversation over')
    .description('Takes over the conversation with a person that another app of the business holds.')
    .argument('<contact>', 'the person (parley contacts list)')
    .option('--channel <id>', 'the channel, where the person has conversations on several')
    .option('--json', 'print the contact as JSON')
    .action((id: string, options: Options) => move(id, 'take', options))
  withExamples(take, [`parley contacts take-thread ${ONE}`])

  const release = withTokenOptions(contacts.command('release-thread'))
    .summary('give a conversation back')
    .description(
      'Gives the conversation with a person back: to the app that the provider chooses when the person writes next, or to a named one.',
    )
    .argument('<contact>', 'the person (parley contacts list)')
    .option('--to <app>', 'a role on WhatsApp, such as ai_agent; on Messenger and Instagram the id of an app')
    .option('--channel <id>', 'the channel, where the person has conversations on several')
    .option('--json', 'print the contact as JSON')
    .action((id: string, options: Options) => move(id, 'release', options))
  withExamples(release, [`parley contacts release-thread ${ONE} --to ai_agent`])
}

async function move(id: string, verb: 'take' | 'release', { channel: channel_id, to, json, ...options }: Options) {
  const api = connectAsProject(options)
  const path = `/v1/contacts/${encodeURIComponent(id)}/${verb}-thread`
  const contact: Contact = await api.call('POST', path, { channel_id, to })
  if (json) return printJson(contact)
  const held = contact.threads.filter((thread) => channel_id === undefined || thread.channel_id === channel_id)
  for (const { holder } of held) printLine(HOLDERS[holder])
}
