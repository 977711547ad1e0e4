/**
 * Runs many rounds on one cluster. After a round that broke a promise, a new cluster starts, so that each round stands
 * for itself.
 */
import { appendFileSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Owner } from '../support/mod.ts'
import { type Fleet, startFleet } from './fleet.ts'
import type { Round } from './plan.ts'
import { lineOf } from './report.ts'
import { type Outcome, runRound } from './round.ts'

/** The most findings printed of a round, and the most characters of each. The round's directory has all of them. */
const SHOWN = 10
const SHORT = 1000

const HOLD_MS = 30_000
const STARTS = 4

export type RunOptions = {
  rounds: readonly Round[]
  /** The directory for the clusters. Clusters without a finding are removed at the end. */
  directory: string
  /** Default 30 000: `runRound`. */
  hold_ms?: number
  log(line: string): void
}

type Cluster = { fleet: Fleet; end(): Promise<void> }

export async function runRounds({ rounds, directory, hold_ms = HOLD_MS, log }: RunOptions): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  mkdirSync(directory, { recursive: true })
  let cluster: Cluster | undefined
  try {
    for (const round of rounds) {
      cluster ??= await startCluster(join(directory, `from-round-${round.number}`), log)
      const { fleet } = cluster
      const outcome = await runRound(fleet, round, hold_ms)
      outcomes.push(outcome)
      log(lineOf(outcome))
      const line = `${JSON.stringify({ ended: new Date().toISOString(), ...outcome })}\n`
      for (const name of ['rounds.jsonl', ...fleet.nodes.map(({ name }) => `${name}.log`)])
        appendFileSync(join(fleet.directory, name), line)
      if (outcome.findings.length === 0) continue
      for (const { kind, what } of outcome.findings.slice(0, SHOWN)) log(`        ${kind}: ${what.slice(0, SHORT)}`)
      log(`        ${outcome.findings.length} findings: rounds.jsonl and the logs of the nodes in ${fleet.directory}`)
      await cluster.end()
      cluster = undefined
    }
  } finally {
    await cluster?.end()
  }
  if (cluster) rmSync(cluster.fleet.directory, { recursive: true, force: true })
  return outcomes
}

/** A busy machine may take longer for a start than its requests wait, so a start is tried again. */
async function startCluster(directory: string, log: (line: string) => void): Promise<Cluster> {
  for (let tries = 1; ; tries++) {
    try {
      return await startOnce(directory)
    } catch (error) {
      if (tries === STARTS) throw error
      log(`        a cluster did not start, trying again: ${(error as Error).message}`)
    }
  }
}

/** Starts a cluster. Its parts are undone in reverse order, each whatever became of the others. */
async function startOnce(directory: string): Promise<Cluster> {
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
