/**
 * `npm run test:faults [-- --rounds n --seed n --only words --hold s]`: breaks a real cluster at random moments. Exits
 * with 1 when a promise of docs/reliability.md was not kept, and with 2 on wrong usage. The same seed gives the same
 * faults.
 *
 * `--hold`: seconds for which a snapshot is held.
 *
 * `-- --broadcast` instead: one bulk send of 5000 recipients, during which nodes are killed 50 times (`--rounds`).
 * `-- --conversation` instead: a visitor and two agents, with a kill of a node or a cut network in each round.
 * `-- --assistants` instead: 1000 bursts of messages to an assistant (`--rounds`), on two nodes that die meanwhile.
 */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { prepareStartUp } from '../run/start_up.ts'
import { endWith, readOptions } from '../support/options.ts'
import { runAssistants } from './assistants.ts'
import { runBroadcast } from './broadcast.ts'
import { runConversation } from './conversation.ts'
import { faults } from './faults/mod.ts'
import { runPartitions } from './network.ts'
import { missingForSpace } from './network_space.ts'
import { cells, cellsNamed, planRounds } from './plan.ts'
import { tableOf } from './report.ts'
import { runRounds } from './run.ts'

// The tools of the tests come with tap, which would end this program after 30 s.
t.setTimeout(0)
const log = (line: string) => void process.stdout.write(`${line}\n`)

const usage = `usage: npm run test:faults [-- --rounds n --seed n --only a,b --hold s | --broadcast | --conversation | --assistants]
only: network ${Object.keys(faults).join(' ')}
      ${cells.join(' ')}`
const values = readOptions(
  {
    rounds: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    only: { type: 'string' },
    hold: { type: 'string', default: '30' },
    broadcast: { type: 'boolean', default: false },
    conversation: { type: 'boolean', default: false },
    assistants: { type: 'boolean', default: false },
  },
  usage,
)
const [count, seed] = [
  Number(values.rounds ?? (values.assistants ? 1000 : values.broadcast ? 50 : 200)),
  Number(values.seed),
]
const hold_ms = Number(values.hold) * 1000
const words = values.only?.split(',')
const among = words ? words.flatMap(cellsNamed) : cells
const partitioned = !words || words.includes('network')
const unknown = (words ?? []).filter((word) => word !== 'network' && cellsNamed(word).length === 0)
if (unknown.length > 0) endWith(`nothing is called ${unknown.join(' or ')}\n${usage}`)
if (!(count > 0 && hold_ms > 0) || !Number.isInteger(seed)) endWith(usage)

const directory = mkdtempSync(join(tmpdir(), 'parley-faults-'))
// The data of servers and nodes goes there too, so that a run that is cut off leaves nothing elsewhere.
process.env.TMPDIR = directory
// Nodes start many times, so their types are stripped once, from the program as it was when the run began.
Object.assign(process.env, await prepareStartUp(join(directory, 'modules'), true))
log(`seed ${seed}, ${count} rounds, evidence in ${directory}`)
if (values.broadcast) {
  const findings = await runBroadcast({ recipients: 5000, kills: count, seed, directory, log })
  for (const finding of findings) log(`        ${finding}`)
  log(`seed ${seed}: a broadcast under ${count} kills, ${findings.length} findings`)
  process.exit(findings.length > 0 ? 1 : 0)
}
if (values.conversation) {
  const { findings, said, reads, max_ms } = await runConversation({ rounds: count, seed, directory, log })
  for (const finding of findings) log(`        ${finding}`)
  const figures = `${said} texts, ${reads} full reads, pages live at most ${Math.round(max_ms)} ms after a node or network was back`
  log(`seed ${seed}: a conversation under ${count} faults, ${figures}, ${findings.length} findings`)
  process.exit(findings.length > 0 ? 1 : 0)
}
if (values.assistants) {
  const { findings, figures } = await runAssistants(count)
  for (const finding of findings) log(`        ${finding}`)
  log(`bursts to an assistant: ${JSON.stringify(figures)}, ${findings.length} findings`)
  process.exit(findings.length > 0 ? 1 : 0)
}
const outcomes = await runRounds({ rounds: planRounds(seed, count, among), directory, hold_ms, log })
if (outcomes.length > 0) log(`\n${tableOf(outcomes)}\n`)
const broken = outcomes.filter(({ findings }) => findings.length > 0).length
const faulty = partitioned ? await cutLinks() : 0
log(`seed ${seed}: ${outcomes.length} rounds, ${broken + faulty} broke a promise`)
process.exit(broken + faulty > 0 ? 1 : 0)

/** Runs partitions of the network: one round for ten of the others, or as many as asked for when nothing else was. */
async function cutLinks(): Promise<number> {
  const missing = missingForSpace()
  if (missing) {
    log(`network partitions: SKIPPED. ${missing}`)
    return 0
  }
  const rounds = among.length > 0 ? Math.ceil(count / 10) : count
  const { faults, ...figures } = await runPartitions({ rounds, seed, log })
  log(`network partitions: ${JSON.stringify(figures)}`)
  for (const fault of faults) log(`        ${fault}`)
  return faults.length
}
