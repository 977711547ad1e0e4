#!/usr/bin/env node
/** The program of `npm run demo:conversations`: `npm start`, with people who write. */
import { parseArgs } from 'node:util'
import { serve } from '../../serve.ts'
import { readConfig } from '../../settings/mod.ts'
import { startConversations } from './conversations.ts'

const USAGE = `usage: npm run demo:conversations -- [--people 40] [--pace 1] [--seed 1]
  --people  number of people who write, 1 to 1000
  --pace    1 for pauses as people make them, 10 for ten times as fast
  --seed    a whole number; the same people say the same things for the same seed
`

function options(): { people: number; pace: number; seed: number } | undefined {
  try {
    const { values } = parseArgs({
      options: {
        people: { type: 'string', default: '40' },
        pace: { type: 'string', default: '1' },
        seed: { type: 'string', default: '1' },
      },
    })
    const [people, pace, seed] = [Number(values.people), Number(values.pace), Number(values.seed)]
    const is_valid = Number.isInteger(people) && people >= 1 && people <= 1000 && pace > 0 && Number.isInteger(seed)
    return is_valid ? { people, pace, seed } : undefined
  } catch {
    return undefined
  }
}

const chosen = options()
if (!chosen) {
  process.stderr.write(USAGE)
  process.exit(2)
}
if (process.env.DATABASE_URL || process.env.PARLEY_ENV === 'production') {
  process.stderr.write('The people write to the demo of a development start: leave out DATABASE_URL and PARLEY_ENV.\n')
  process.exit(2)
}
const { data_dir } = readConfig(process.env)
const tell = (text: string) => void process.stdout.write(text)
process.exit(await serve(process.env, ({ demo }) => startConversations(data_dir, demo!, { ...chosen, tell })))
