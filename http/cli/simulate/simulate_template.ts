import type { Command } from 'commander'
import { connectToSimulator } from '../connection/connection.ts'
import { withExamples } from '../options/examples.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { printJson, printLine } from '../terminal/terminal.ts'

type TemplateOptions = {
  name: string
  language: string
  status?: string
  quality?: string
  category?: string
  nextCategory?: string
  simulatorUrl?: string
  json?: boolean
}

/** `parley simulate template`: WhatsApp reviews, rates or moves a template. */
export function addTemplateSimulation(template: Command): void {
  template
    .summary('a template is reviewed, rated or moved')
    .description(
      'Changes a message template as WhatsApp does after a review or by what people think of it, and tells Parley.',
    )
    .requiredOption('--name <name>', 'name of the template')
    .option('--language <code>', 'its language', 'en_US')
    .option('--status <status>', 'APPROVED, REJECTED, PAUSED, DISABLED or another status')
    .option('--quality <quality>', 'GREEN, YELLOW or RED')
    .option('--category <category>', 'the category to which it was moved')
    .option('--next-category <category>', 'the category that is announced')
    .action(simulateTemplate)
  withExamples(template, [
    'parley simulate template --name invoice_ready --status PAUSED',
    'parley simulate template --name invoice_ready --quality RED',
    'parley simulate template --name invoice_ready --next-category MARKETING',
  ])
}

async function simulateTemplate(options: TemplateOptions): Promise<void> {
  const { name, language, status, quality, category, nextCategory: next_category, simulatorUrl, json } = options
  const changes = Object.entries({ status, quality, category, next_category }).filter(([, word]) => word !== undefined)
  if (changes.length !== 1)
    throw new CommandFailure('Give one of --status, --quality, --category and --next-category.', 2)
  const body = { name, language, ...Object.fromEntries(changes) }
  const answer = await connectToSimulator(simulatorUrl).call('PUT', '/_control/templates', body)
  const [[what, word] = []] = changes
  if (json) printJson(answer)
  else printLine(`The ${what!.replace('_', ' ')} of ${name} (${language}) is ${word!.toUpperCase()}.`)
}
