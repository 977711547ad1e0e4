import type { Api } from '../connection/api.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { printable } from '../terminal/terminal.ts'

export type Template = {
  name: string
  language: string
  channel_id: string
  status: string
  /** Variables that each recipient must have. */
  variables: string[]
}

export type TemplateChoice = { template: string; language?: string; channel?: string }

/**
 * The template of this name, in this language or in the only one it has.
 * @throws {CommandFailure} when there is none, or there are several
 */
export async function findTemplate(api: Api, { template: name, language, channel }: TemplateChoice): Promise<Template> {
  const query = new URLSearchParams({ name, limit: '200' })
  if (channel) query.set('channel_id', channel)
  const { data }: { data: Template[] } = await api.call('GET', `/v1/messages/templates?${query}`)
  if (data.length === 0) throw new CommandFailure(`There is no template “${name}”${channel ? ' on this channel' : ''}.`)
  const languages = [...new Set(data.map((each) => each.language))].sort()
  const listed = languages.map(printable).join(', ')
  if (!language && languages.length > 1) {
    throw new CommandFailure(`The template “${name}” is there in ${listed}: choose with --language.`, 2)
  }
  const found = data.filter((each) => !language || each.language === language)
  const [first] = found
  if (!first) throw new CommandFailure(`The template “${name}” is not there in ${language}, only in ${listed}.`)
  if (found.some((each) => each.variables.join() !== first.variables.join())) {
    const channels = found.map(({ channel_id }) => channel_id).join(', ')
    throw new CommandFailure(
      `The template “${name}” is not the same on the channels ${channels}: choose with --channel.`,
      2,
    )
  }
  return first
}
