import { type Command, Option } from 'commander'
import { connectAsOperator, withOperatorOptions } from '../connection/connection.ts'
import { withExamples } from '../options/examples.ts'
import { parseMoment } from '../options/time_option.ts'
import type { OperatorAppointment } from '../records/generated.ts'
import {
  addResource,
  type Json,
  type Options,
  optionFields,
  type Resource,
  recordPath,
  tell,
} from '../records/resource.ts'
import { mustAgree, withYes } from '../terminal/confirm.ts'
import { linesOf, rowOf } from './appointment.ts'
import { addFieldOptions, bodyOf } from './options.ts'

const ID = '66f2a0c1d4e5f60718293a58'
const USER = '66f2a0c1d4e5f60718293a52'
const CONTACT = '66f2a0c1d4e5f60718293a4c'
const statuses = ['pending', 'confirmed', 'cancelled', 'completed', 'no_show']

const LOCAL = 'such as 2026-11-21T10:00 in its zone, or 2026-11-21T10:00:00-06:00'

const appointments: Resource<OperatorAppointment> = {
  name: 'appointments',
  one: 'an appointment',
  many: 'appointments',
  owner: 'project',
  headings: ['id', 'number', 'status', 'begins', 'assignee'],
  row: rowOf,
  flexible: 4,
  lines: linesOf,
  order: 'the earliest first',
  filter: {
    add: (command) =>
      command
        .addOption(new Option('--status <status>', 'only those with this status').choices(statuses))
        .option('--assignee <id>', 'only those with this user')
        .option('--contact <id>', 'only those of this contact')
        .option('--customer <id>', 'only those of this customer')
        .option('--from <time>', 'only those that begin at this time or later', parseMoment)
        .option('--before <time>', 'only those that begin before this time', parseMoment)
        .addOption(new Option('--order <order>', 'by the time at which they begin').choices(['asc', 'desc'])),
    query: (options) =>
      optionFields(options, {
        status: 'status',
        assignee: 'assigned_to',
        contact: 'chat_user',
        customer: 'customer_id',
        from: 'since',
        before: 'until',
        order: 'order',
      }),
  },
  create: {
    description: 'Creates an appointment of a project. It gets the next number.',
    add: (command) =>
      addFieldOptions(
        command
          .requiredOption('--starts <time>', `when it begins, ${LOCAL}`)
          .requiredOption('--ends <time>', 'when it ends')
          .addOption(new Option('--status <status>', 'the status it begins with (default: pending)').choices(statuses)),
      ),
    body: (options): Json => ({ ...bodyOf(options), ...optionFields(options, { status: 'status' }) }),
    examples: [
      `parley appointments create --starts 2026-11-21T10:00 --ends 2026-11-21T10:30 \\\n  --timezone America/Mexico_City --contact ${CONTACT} --assignee ${USER}`,
      `parley appointments create --starts 2026-11-21T16:00:00Z --ends 2026-11-21T16:30:00Z --contact ${CONTACT} \\\n  --remind 24 --template appointment_reminder --language en_US --variable "customer_name={name}" \\\n  --variable "appointment_date={date}" --variable "appointment_time={time}"`,
    ],
  },
  update: {
    description: 'Changes an appointment. A start without an end moves it, and its reminder with it.',
    add: (command) =>
      addFieldOptions(
        command.option('--starts <time>', `when it begins, ${LOCAL}`).option('--ends <time>', 'when it ends'),
      ),
    body: bodyOf,
    examples: [
      `parley appointments update ${ID} --starts 2026-11-22T10:00`,
      `parley appointments update ${ID} --payment paid --no-reminder`,
    ],
  },
  examples: {
    list: [
      'parley appointments list --status pending --from 2026-11-21',
      "parley appointments list --json | jq -r '.[].number'",
    ],
    show: [`parley appointments show ${ID}`],
  },
}

const transitions = [
  ['confirm', 'confirm a pending appointment', 'Confirms a pending appointment.'],
  [
    'cancel',
    'cancel an appointment',
    'Cancels an appointment, after a question: its time is free again, and its reminder is not sent.',
  ],
  ['complete', 'record that an appointment took place', 'Records that an appointment took place.'],
  ['no-show', 'record that the person did not come', 'Records that the person did not come.'],
] as const

export function addAppointmentCommands(program: Command): void {
  const description = 'Manages the appointments of a project.'
  const group = addResource(program, appointments, 'the appointments of a project', description)
  for (const [verb, summary, sentence] of transitions) {
    const is_asked = verb === 'cancel'
    const command = withOperatorOptions(group.command(verb))
      .summary(summary)
      .description(sentence)
      .argument('<id>', 'its id (parley appointments list)')
      .option('--json', 'print JSON')
      .action(async (id: string, options: Options) => {
        const { api } = connectAsOperator(options)
        if (is_asked && !options.yes)
          await mustAgree({ question: `Cancel the appointment ${id}?`, refusal: 'Nothing is cancelled' })
        tell(appointments, options, await api.call('POST', `${recordPath(appointments, id)}/${verb}`))
      })
    if (is_asked) withYes(command)
    withExamples(command, [`parley appointments ${verb} ${ID}${is_asked ? ' --yes' : ''}`])
  }
}
