/** The test sets of an assistant, one of them with its runs, and one run. No event tells of runs: they are read again. No DOM. */

import { type Signal, signal } from '@preact/signals'
import type { ProjectApi } from '../../data/project_api.ts'
import { Resource } from '../../data/resource.ts'
import type { TestResult, TestRun, TestRunSummary, TestSet, TestSetSummary } from '../../records/test_set.ts'
import type { TestsPlace } from './places.ts'

const PAGE = 200
/** Runs that the page of a set shows. */
const RUNS = 20
/** The time between two readings while something runs. */
const RUNNING_MS = 1_500

type SetPage = { data: TestSetSummary[]; next_cursor: string | null }
export type ShownRun = { run: TestRun; results: TestResult[] }

export class TestSets {
  readonly list: Resource<TestSetSummary[]>
  set: Signal<Resource<TestSet> | null> = signal(null)
  runs: Signal<Resource<TestRunSummary[]> | null> = signal(null)
  run: Signal<Resource<ShownRun> | null> = signal(null)
  #api
  #at
  #where = ''
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(api: ProjectApi, assistant_id: string) {
    this.#api = api
    this.#at = `assistants/${encodeURIComponent(assistant_id)}/test-sets`
    this.list = new Resource(() => this.#readList())
  }

  /** Shows a place. What is there already stays. */
  show(place: TestsPlace) {
    const where = JSON.stringify(place)
    if (where === this.#where) return
    this.#where = where
    const set_id = 'set_id' in place ? place.set_id : null
    const run_id = 'run_id' in place ? place.run_id : null
    this.set.value = set_id === null ? null : new Resource(() => this.one(set_id))
    this.runs.value = set_id === null ? null : new Resource(() => this.#readRuns(set_id))
    this.run.value = set_id === null || run_id === null ? null : new Resource(() => this.#readRun(set_id, run_id))
    void this.read()
  }

  /** Reads again what is shown, and goes on with that while something runs. */
  async read() {
    clearTimeout(this.#timer)
    const where = this.#where
    if (this.set.peek() === null) return this.list.read()
    await Promise.all([this.set.peek()?.read(), this.runs.peek()?.read(), this.run.peek()?.read()])
    if (where !== this.#where || !this.#isRunning()) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.read(), RUNNING_MS)
  }

  /** Ends the reading. */
  hide() {
    this.#where = ''
    clearTimeout(this.#timer)
  }

  async one(set_id: string): Promise<TestSet> {
    return (await this.#api.get(this.#path(set_id))).test_set
  }

  /** With the same `key` it is created once. */
  async create(body: object, key: string): Promise<TestSet> {
    return (await this.#api.post(this.#at, body, { key })).test_set
  }

  async replace(set_id: string, body: object): Promise<TestSet> {
    return (await this.#api.put(this.#path(set_id), body)).test_set
  }

  async remove(set_id: string) {
    await this.#api.delete(this.#path(set_id))
  }

  /** With the same `key` it is started once. */
  async start(set_id: string, body: object, key: string): Promise<TestRunSummary> {
    const { run } = await this.#api.post(`${this.#path(set_id)}/runs`, body, { key })
    return run
  }

  async cancel(set_id: string, run_id: string) {
    await this.#api.post(`${this.#path(set_id)}/runs/${encodeURIComponent(run_id)}/cancel`)
    await this.read()
  }

  #path(set_id: string) {
    return `${this.#at}/${encodeURIComponent(set_id)}`
  }

  #isRunning() {
    const shown = [...(this.runs.peek()?.state.peek().value ?? []), this.run.peek()?.state.peek().value?.run]
    return shown.some((run) => run && run.ended_at === null)
  }

  async #readList() {
    const sets: TestSetSummary[] = []
    let cursor: string | null = null
    do {
      const page: SetPage = await this.#api.get(this.#at, { limit: PAGE, cursor: cursor ?? undefined })
      sets.push(...page.data)
      cursor = page.next_cursor
    } while (cursor !== null)
    return sets
  }

  async #readRuns(set_id: string): Promise<TestRunSummary[]> {
    return (await this.#api.get(`${this.#path(set_id)}/runs`, { limit: RUNS })).data
  }

  /** The results that failed, as far as a page goes, before those that passed. */
  async #readRun(set_id: string, run_id: string): Promise<ShownRun> {
    const path = `${this.#path(set_id)}/runs/${encodeURIComponent(run_id)}`
    const { run, results } = await this.#api.get(path, { has_passed: 'false', limit: PAGE })
    const passed = (await this.#api.get(path, { has_passed: 'true', limit: PAGE })).results
    return { run, results: [...results.data, ...passed.data] }
  }
}
