import { type Command, Option } from 'commander'
import { connectToSimulator } from '../connection/connection.ts'
import { withExamples } from '../options/examples.ts'
import { type Reported, report } from './simulator_report.ts'

type MarketingOptions = {
  from: string
  wish: 'stop' | 'resume'
  phoneNumberId?: string
  simulatorUrl?: string
  json?: boolean
}

/** `parley simulate marketing`: a person stops marketing messages of a business on WhatsApp, or resumes them. */
export function addMarketingSimulation(marketing: Command): void {
  marketing
    .summary('a person stops marketing, or resumes it')
    .description(
      'Lets a person on WhatsApp stop marketing messages of the business, or resume them, by the button that WhatsApp shows (user_preferences). From then ' +
        'on WhatsApp refuses them, with 131050.',
    )
    .requiredOption('--from <person>', 'phone number of the person')
    .addOption(new Option('--wish <wish>', 'what the person chooses').choices(['stop', 'resume']).makeOptionMandatory())
    .option('--phone-number-id <id>', 'number of the business (default: the first)')
    .action(simulateMarketing)
  withExamples(marketing, ['parley simulate marketing --from +15551234567 --wish stop'])
}

async function simulateMarketing(options: MarketingOptions): Promise<void> {
  const { from, wish, phoneNumberId: phone_number_id } = options
  const body = { channel: 'whatsapp', from, marketing: wish, phone_number_id }
  const answer: Reported = await connectToSimulator(options.simulatorUrl).call('POST', '/_control/inbound', body)
  report(options, answer, `${from} ${wish === 'stop' ? 'stopped' : 'resumed'} marketing messages.`)
}
