/** Reasons that keep a bulk send from being sent, as sentences at the part of the page where it is mended. No DOM. */

import type { Template } from '../../records/template.ts'
import { number } from '../../ui/format/format.ts'
import type { Form, Hindrance } from './composition_form.ts'
import { MAX_PEOPLE } from './sheet.ts'

/** @param follows what follows from the form */
export function hindrancesOf(
  form: Form,
  {
    template,
    channel,
    people,
    faults,
  }: {
    template: Template | undefined
    channel: { name: string; is_active: boolean } | undefined
    people: readonly unknown[]
    faults: readonly unknown[]
  },
): Hindrance[] {
  const { rows, sources, leaves_out_faults, channel_id } = form
  const found: Hindrance[] = []
  if (!channel_id || !channel) found.push({ at: 'template', text: 'Choose the number that sends.' })
  else if (!channel.is_active) found.push({ at: 'template', text: `${channel.name} is not connected.` })
  if (!template) found.push({ at: 'template', text: 'Choose a template.' })
  if (rows.length === 0) found.push({ at: 'recipients', text: 'Add the recipients.' })
  else if (people.length === 0) found.push({ at: 'recipients', text: 'No row has a valid recipient.' })
  else if (people.length > MAX_PEOPLE) {
    const text = `A broadcast has up to 5,000 recipients, this one has ${number(people.length)}. Split the file.`
    found.push({ at: 'recipients', text })
  }
  if (faults.length > 0 && people.length > 0 && !leaves_out_faults) {
    const text =
      faults.length === 1
        ? 'A row has a mistake. Mend the file, or leave the row out.'
        : `${number(faults.length)} rows have mistakes. Mend the file, or leave them out.`
    found.push({ at: 'recipients', text })
  }
  for (const variable of template?.variables ?? []) {
    const source = sources[variable]
    if (!source || (source.column === null && source.text.trim() === '')) {
      found.push({ at: 'variables', text: `Give ${variable} a column or a text.` })
    }
  }
  return found
}
