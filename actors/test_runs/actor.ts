/**
 * The actor of a project's runs of test sets. It tries case after case outside of its turns (`run_case.ts`). The project makes
 * the row of a run; afterwards only this actor writes it, and its results.
 *
 *  T1 A result and the counts of its run are one transaction, so the counts are those of the results at any moment. A try
 *     whose result is stored is not made again. One that was cut off, by the end of its node or a new owner, begins anew.
 *  T2 A project has at most `MAX_RUNS` runs under way, the oldest ones, with `MAX_TRIES` tries each. Tries of a node wait for
 *     room turn by turn, and projects take turns, so a model that does not answer holds up its own project.
 *  T3 What an erasure has settled is written no more: the runs that name its people are gone from this turn on, with what
 *     is under way.
 *  T4 Nothing is tried while nothing may go out of the cluster.
 */
import { type ActorKind, defineActor, FairSlots, givePermit, type Log, mayBegin } from '../../runtime/mod.ts'
import { AssistantTestResult, AssistantTestRun, readTestCase, readUnfinishedTestRuns } from '../../storage/mod.ts'
import type { AssistantServices } from '../conversation/mod.ts'
import { tellSettled } from '../data_rights/mod.ts'
import { nextTestRunState, type TestRunEvent } from '../machines/mod.ts'
import { decimalOf, trillionthsOf } from '../models/mod.ts'
import { reachesRate } from '../records/mod.ts'
import type { TestRunsProtocol } from './protocol.ts'
import { type CaseOutcome, runCase } from './run_case.ts'
import { type ActiveRun, activeRun, type Records, type TestRunsState, type TestRunsTurn } from './state.ts'

/** Runs of a project under way. */
const MAX_RUNS = 2
/** Tries of a run under way. */
const MAX_TRIES = 4
/** Turns of assistants in tests that a node has under way. */
const AT_ONCE = 256
/** The pause after a try that could not be made. */
const RETRY_MS = 1_000
/** Tries in a row that could not be made, after which a run is given up. */
const MAX_FAULTS = 50

export type TestRunsOptions = { services: AssistantServices; log: Log }

export function testRunsActor({ services, log }: TestRunsOptions): ActorKind<TestRunsProtocol, TestRunsState, Records> {
  const { database } = services
  const slots = new FairSlots(AT_ONCE, { max_of_one: MAX_RUNS * MAX_TRIES })

  /** Begins the oldest runs, and their tries, as far as there is room. */
  function proceed(turn: TestRunsTurn): void {
    const { runs } = turn.state
    turn.awake(runs.size > 0)
    for (const run of [...runs.values()].slice(0, MAX_RUNS)) {
      if (run.row.state === 'queued') move(turn, run, 'begun', { started_at: turn.now })
      while (run.under_way.size < MAX_TRIES && run.waiting.length > 0) begin(turn, run, run.waiting.shift()!)
    }
  }

  function begin(turn: TestRunsTurn, run: ActiveRun, position: number): void {
    const { row } = run
    run.under_way.add(position)
    turn.work(
      async (signal) => {
        const tried = { type: 'tried', run_id: row._id, position }
        const both = AbortSignal.any([signal, run.abort.signal])
        givePermit(both, () => mayBegin(signal))
        try {
          return { ...tried, outcome: await tryCase(row, position, both) }
        } catch (error) {
          if (signal.aborted) throw error
          const { message } = error as Error
          if (!both.aborted) log.warn({ test_run: row._id, position, error: message }, 'a case could not be tried')
          return { ...tried, outcome: null }
        }
      },
      { outside: true },
    )
  }

  async function tryCase(
    { _id, project_id, company_id, assistant_id, case_count, held_versions }: ActiveRun['row'],
    position: number,
    signal: AbortSignal,
  ): Promise<CaseOutcome | null> {
    const test_case = await readTestCase(database, _id, position % case_count)
    if (!test_case) return null
    const atOnce = async <Result>(work: () => Promise<Result>) => {
      const free = await slots.take(project_id, signal)
      try {
        return await work()
      } finally {
        free()
      }
    }
    const held = new Map((held_versions ?? []).map(({ block_id, version_id }) => [block_id, version_id]))
    return runCase(services, { project_id, company_id, assistant_id, test_case, held, atOnce }, signal)
  }

  /** Writes the state after an event. A run that has ended is forgotten, with what is under way. */
  function move(turn: TestRunsTurn, run: ActiveRun, event: TestRunEvent, more: Partial<AssistantTestRun> = {}): void {
    const { row } = run
    const state = nextTestRunState(row.state, event)
    if (state === row.state) return
    const has_ended = state !== 'running'
    const patch = { ...more, state, ...(has_ended && { ended_at: turn.now }) }
    Object.assign(row, patch)
    turn.update(AssistantTestRun, { _id: row._id }, patch)
    if (has_ended) forget(turn, run)
  }

  function forget(turn: TestRunsTurn, { row, abort }: ActiveRun): void {
    turn.state.runs.delete(row._id)
    turn.after(() => abort.abort())
  }

  return defineActor<TestRunsProtocol, TestRunsState, Records>({
    kind: 'test_runs',

    async load(project_ids, database) {
      const states = new Map(project_ids.map((id): [string, TestRunsState] => [id, { runs: new Map() }]))
      for (const one of await readUnfinishedTestRuns(database, project_ids)) {
        states.get(one.row.project_id)!.runs.set(one.row._id, activeRun(one))
      }
      return states
    },
    create: () => ({ runs: new Map() }),

    async read(messages, { key, state, database }) {
      const ids = messages.flatMap((message) => (message.type === 'begin' ? [message.run_id] : []))
      const unknown = ids.filter((id) => !state.runs.has(id))
      return { begun: unknown.length === 0 ? [] : await readUnfinishedTestRuns(database, [key], unknown) }
    },

    receive: {
      begin(turn, { run_id }) {
        const { runs } = turn.state
        const begun = turn.records.begun.find(({ row }) => row._id === run_id)
        if (begun && !runs.has(run_id)) runs.set(run_id, activeRun(begun))
        proceed(turn)
      },

      cancel(turn, { run_id }) {
        const run = turn.state.runs.get(run_id)
        if (run) move(turn, run, 'canceled')
        proceed(turn)
      },

      cancel_all(turn, { test_set_id }) {
        for (const run of [...turn.state.runs.values()]) {
          if (run.row.test_set_id === test_set_id) move(turn, run, 'canceled')
        }
        proceed(turn)
      },

      tried(turn, { run_id, position, outcome }) {
        const run = turn.state.runs.get(run_id)
        if (!run?.under_way.delete(position)) return
        if (outcome) keep(turn, run, position, outcome)
        else {
          run.waiting.unshift(position)
          run.faults++
          if (run.faults < MAX_FAULTS) return turn.soon(RETRY_MS, { type: 'go_on' })
          move(turn, run, 'failed', { reason: 'interrupted' })
        }
        proceed(turn)
      },

      go_on: proceed,
      wake: proceed,

      erase(turn, message) {
        const erased = new Set(message.contacts)
        for (const run of [...turn.state.runs.values()]) {
          if (!message.all && !run.row.chat_users.some((id) => erased.has(id))) continue
          turn.remove(AssistantTestRun, { _id: run.row._id })
          forget(turn, run)
        }
        tellSettled(turn, message)
        proceed(turn)
      },
    },
  })

  function keep(turn: TestRunsTurn, run: ActiveRun, position: number, outcome: CaseOutcome): void {
    const { row } = run
    const { is_hopeless, untried, started_at, ...result } = outcome
    run.faults = 0
    turn.insert(AssistantTestResult, {
      ...{ run_id: row._id, position, company_id: row.company_id, project_id: row.project_id },
      ...{ repetition: Math.floor(position / row.case_count) + 1, ...result },
      ...{ started_at: new Date(started_at), ended_at: turn.now },
    })
    const counts: Partial<AssistantTestRun> = {
      passed: row.passed + (result.has_passed ? 1 : 0),
      failed: row.failed + (result.has_passed ? 0 : 1),
      input_tokens: row.input_tokens + result.input_tokens,
      output_tokens: row.output_tokens + result.output_tokens,
      ...added(row, result),
      ...(untried.length > 0 && { held_versions: without(row.held_versions, untried) }),
    }
    Object.assign(row, counts)
    turn.update(AssistantTestRun, { _id: row._id }, counts)
    if (is_hopeless) move(turn, run, 'failed', { reason: result.reason })
    else if (row.passed + row.failed === row.total) {
      move(turn, run, 'all_done')
      release(turn, row)
    }
  }
}

/** A run that has passed releases the versions that it tried. */
function release(turn: TestRunsTurn, row: ActiveRun['row']): void {
  const { project_id, test_set_id, held_versions: versions } = row
  if (!versions || versions.length === 0 || !reachesRate(row)) return
  turn.tell(`project/${project_id}`, { type: 'release_tested_versions', test_set_id, versions })
}

const without = (versions: AssistantTestRun['held_versions'], block_ids: readonly string[]) =>
  versions?.filter(({ block_id }) => !block_ids.includes(block_id)) ?? null

type Money = { cost?: string | null; cost_currency?: string | null }

/** The sum of costs. Another currency, after a change of the model, is left out. */
function added({ cost, cost_currency }: Money, more: Money): Money {
  if (more.cost == null || (cost_currency ?? more.cost_currency) !== more.cost_currency) return {}
  const sum = trillionthsOf(cost ?? '0') + trillionthsOf(more.cost)
  return { cost: decimalOf(sum), cost_currency: more.cost_currency ?? null }
}
