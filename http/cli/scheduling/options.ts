/** The options with which appointments are created and changed. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { cleared } from '../crm/spelling.ts'
import { gather, type Json, type Options, optionFields } from '../records/resource.ts'
import { CommandFailure } from '../terminal/failure.ts'

const NAMES = {
  starts: 'starts_at',
  ends: 'ends_at',
  timezone: 'timezone',
  modality: 'modality',
  payment: 'payment_status',
}
/** Fields that the word none clears. */
const CLEARABLE = {
  contact: 'chat_user',
  customer: 'customer_id',
  assignee: 'assigned_to',
  amount: 'amount',
  currency: 'currency',
  url: 'meeting_url',
  location: 'location',
}

export function addFieldOptions(command: Command): Command {
  return command
    .option('--timezone <zone>', 'IANA name of its zone, such as America/Mexico_City')
    .option('--assignee <id>', 'the user it is with, or none')
    .option('--contact <id>', 'the contact it is for, or none')
    .option('--customer <id>', 'the customer it is for, or none (default: that of the contact)')
    .addOption(new Option('--modality <kind>', 'how people meet').choices(['online', 'in-person']))
    .option('--location <text>', 'where people meet, or none')
    .option('--url <url>', 'address of the online meeting, or none')
    .addOption(new Option('--payment <status>', 'its payment').choices(['unpaid', 'pending', 'paid', 'refunded']))
    .option('--amount <number>', 'its price, or none', parseAmount)
    .option('--currency <code>', 'such as MXN, or none')
    .option('--remind <hours>', 'send a template this many hours before', parseHours)
    .option('--template <name>', 'the template of the reminder')
    .option('--language <code>', 'the language of the template, such as en_US')
    .option('--variable <name=text>', 'a value of the template, such as 1={time}; may be repeated', gather(parseText))
    .option('--channel <id>', 'the channel of the reminder, when the project has several')
    .option('--no-reminder', 'send no reminder')
}

/** @throws {CommandFailure} when only a part of a reminder is given */
export function bodyOf(options: ReminderOptions): Json {
  return {
    ...optionFields(options, NAMES),
    ...cleared(optionFields(options, CLEARABLE), 'none', null),
    ...reminderOf(options),
  }
}

type ReminderOptions = Options & { variable?: Json[] }

function reminderOf({ remind, template, language, variable, channel, reminder }: ReminderOptions): Json {
  const parts = [remind, template, language]
  const is_given = [...parts, variable, channel].some((part) => part !== undefined)
  if (reminder === false) {
    if (is_given) throw new CommandFailure('--no-reminder goes with none of the options of a reminder.', 2)
    return { reminder: null }
  }
  if (!is_given) return {}
  if (parts.includes(undefined)) {
    throw new CommandFailure('A reminder needs --remind, --template and --language.', 2)
  }
  return {
    reminder: {
      hours_before: remind,
      template_name: template,
      template_language: language,
      variables: Object.assign({}, ...(variable ?? [])),
      ...(channel !== undefined && { channel_id: channel }),
    },
  }
}

function parseAmount(text: string): number | string {
  if (text === 'none') return text
  if (/^\d{1,12}(\.\d{1,4})?$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Use a number such as 600 or 12.5, or none.')
}

function parseHours(text: string): number {
  if (/^\d{1,4}(\.\d{1,4})?$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Use a number of hours such as 24 or 0.5.')
}

function parseText(text: string): Json {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('Use name=text.')
  return { [text.slice(0, at).trim()]: text.slice(at + 1) }
}
