import type { Command } from 'commander'
import { connectToSimulator } from '../connection/connection.ts'
import { withExamples } from '../options/examples.ts'
import { printJson, printLine } from '../terminal/terminal.ts'

type PersonOptions = { phone: string; userId: string; simulatorUrl?: string; json?: boolean }

/** `parley simulate person`: WhatsApp knows a number and a business-scoped id as one person. */
export function addPersonSimulation(person: Command): void {
  person
    .summary('WhatsApp names both ids of a person')
    .description(
      'Tells the simulated WhatsApp that a phone number and a business-scoped user id are one person. Its answers to sends and its ' +
        'statuses name both from then on, which proves to Parley that contacts of the two are one.',
    )
    .requiredOption('--phone <number>', 'the phone number of the person')
    .requiredOption('--user-id <id>', 'the business-scoped user id of the person')
    .action(simulatePerson)
  withExamples(person, ['parley simulate person --phone +15551234567 --user-id US.13491208655302741918'])
}

async function simulatePerson({ phone, userId: user_id, simulatorUrl, json }: PersonOptions): Promise<void> {
  const answer = await connectToSimulator(simulatorUrl).call('PUT', '/_control/people', { phone, user_id })
  if (json) printJson(answer)
  else printLine(`${phone} and ${user_id} are one person from now on.`)
}
