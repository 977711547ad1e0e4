/** The people of the demo who write to it, each in a conversation of their own, and the agents who may answer them. */
import type { Demo } from '../demo_file.ts'
import { signUpAgents } from './agents.ts'
import { shareCannedResponses } from './canned_responses.ts'
import { Chance } from './chance.ts'
import { peopleOf } from './people.ts'
import { type Life, Person } from './person.ts'
import { SimulatedLines } from './simulated_lines.ts'
import { VisitorLine } from './visitor_line.ts'

/** Seconds, at the usual pace, in which all people write for the first time. */
const FIRST_S = 60

export type ConversationOptions = {
  people: number
  /** 1 for pauses as people make them; 10 is ten times as fast. */
  pace: number
  /** The same seed makes the same people say the same things. */
  seed: number
  tell(text: string): void
}

export type Conversations = { stop(): Promise<void> }

/** Signs up the agents, gives them texts to insert, and begins. */
export async function startConversations(
  data_dir: string,
  demo: Demo,
  { people: count, pace, seed, tell }: ConversationOptions,
): Promise<Conversations> {
  const agents = await signUpAgents(data_dir, demo)
  await shareCannedResponses(demo)
  const ended = new AbortController()
  const { signal } = ended
  const announced = new Set<string>()
  const failed = ({ message }: Error) => {
    // Each trouble is told once: while it lasts, all people have it again and again.
    if (signal.aborted || announced.has(message)) return
    announced.add(message)
    tell(`  ${message}\n`)
  }
  const lines = new SimulatedLines(demo.simulator_url)
  const people = peopleOf(count).map((description, n) => {
    const life: Life = { chance: new Chance(seed * 1000 + n), pace, signal, failed }
    return new Person(life, (heard) =>
      description.channel === 'web'
        ? new VisitorLine(demo.base_url, demo.channels.web!.id, heard, signal)
        : lines.open(description, heard),
    )
  })
  const over = Promise.all([
    lines.listen(signal, failed),
    ...people.map((person, n) => person.live(((n + 1) / count) * FIRST_S)),
  ])
  tell(introduction(demo, count, pace, agents))
  return {
    async stop() {
      ended.abort()
      await over
    },
  }
}

function introduction(
  { console_url }: Demo,
  count: number,
  pace: number,
  agents: { email: string; password: string }[],
) {
  const lines = agents.map(({ email, password }) => `  ${email.padEnd(28)}${password}\n`)
  return `
${count} people are about to write, on all channels, ${pace === 1 ? 'at the pace of people' : `${pace} times as fast as people`}. Answer them as an agent:

  console    ${console_url}

  e-mail                      password
${lines.join('')}`
}
