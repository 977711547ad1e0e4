/** Many rounds on one cluster; after a round that broke a promise, a new one, so that each stands for itself. */
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Owner } from '../support/mod.ts'
import { type Fleet, startFleet } from './fleet.ts'
import type { Round } from './plan.ts'
import { lineOf } from './report.ts'
import { type Outcome, runRound } from './round.ts'

export type RunOptions = {
  rounds: readonly Round[]
  /** Gets a directory for each cluster; those of clusters without a finding are removed at the end. */
  directory: string
  log(line: string): void
}

export async function runRounds({ rounds, directory, log }: RunOptions): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  mkdirSync(directory, { recursive: true })
  let cluster: { fleet: Fleet; end(): Promise<void> } | undefined
  try {
    for (const round of rounds) {
      cluster ??= await startCluster(join(directory, `from-round-${round.number}`))
      const { fleet } = cluster
      const mark = `${JSON.stringify({ time: new Date().toISOString(), round })}\n`
      for (const { name } of fleet.nodes) appendFileSync(join(fleet.directory, `${name}.log`), mark)
      const outcome = await runRound(fleet, round)
      outcomes.push(outcome)
      log(lineOf(outcome))
      appendFileSync(join(directory, 'rounds.jsonl'), `${JSON.stringify(outcome)}\n`)
      if (outcome.findings.length === 0) continue
      const evidence = join(fleet.directory, `round-${round.number}.json`)
      writeFileSync(evidence, JSON.stringify(outcome, null, 2))
      for (const { kind, what } of outcome.findings.slice(0, 10)) log(`        ${kind}: ${what}`)
      log(`        ${outcome.findings.length} findings: ${evidence}, the logs of the nodes beside it`)
      await cluster.end()
      cluster = undefined
    }
  } finally {
    await cluster?.end()
  }
  if (cluster) rmSync(cluster.fleet.directory, { recursive: true, force: true })
  return outcomes
}

/** Undone last first, each whatever became of the others. */
async function startCluster(directory: string) {
  const undos: (() => unknown)[] = []
  const owner: Owner = { teardown: (undo) => undos.push(undo) }
  const end = async () => {
    for (const undo of undos.splice(0).reverse()) await Promise.resolve(undo()).catch(() => {})
  }
  try {
    return { fleet: await startFleet(owner, directory), end }
  } catch (error) {
    await end()
    throw error
  }
}
