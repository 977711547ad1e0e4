/** Texts that the agents of the demo insert with `/`. */
import type { Demo } from '../demo_file.ts'
import { makeOnce } from './make_once.ts'

const RESPONSES = [
  {
    shortcut: 'hello',
    title: 'Greeting',
    content: 'Hello {{contact.first_name}}, this is {{agent.first_name}}. How can I help you?',
  },
  {
    shortcut: 'hola',
    title: 'Saludo',
    content: 'Hola {{contact.first_name}}, soy {{agent.first_name}}. ¿En qué puedo ayudarle?',
  },
  {
    shortcut: 'late',
    title: 'Order is late',
    content: 'I am sorry that your order is late. I am asking the carrier, and will write to you today.',
  },
  {
    shortcut: 'refund',
    title: 'Refund',
    content: 'We refund the amount within five working days, to the card that you paid with.',
  },
]

/** Shares them with all agents of the project. */
export async function shareCannedResponses(demo: Demo): Promise<void> {
  for (const response of RESPONSES)
    await makeOnce(demo, 'canned-responses', { ...response, project_id: demo.project_id })
}
