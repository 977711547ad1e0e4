/**
 * Recent questions to an owner, by id, so that a repeated question is not executed twice.
 *
 * Questions are kept in generations: all of them for longer than any caller waits for an answer, their answers for
 * longer than the pause before a repeat. A full generation ends early, which bounds memory. A repeat of a question that
 * is forgotten by then is treated like one that a former owner received: it is executed again only if that is harmless.
 */
const GENERATION_MS = 4000
const GENERATIONS = 4
const ANSWERED_GENERATIONS = 2
/** Maximum questions in a generation: at 16,000 a second or more a generation ends early. */
const MAX = 65_536

/** `answer` is undefined once the answer of the question is forgotten. */
type Heard<Answer> = { answer: Promise<Answer> | undefined; done: boolean }

export class RecentQuestions<Answer> {
  readonly #now: () => number
  /** The youngest generation first. */
  readonly #generations: Map<string, Heard<Answer>>[] = [new Map()]
  #turned_at: number

  /** `now`: milliseconds of a monotonic clock. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
    this.#turned_at = now()
  }

  /** Number of remembered questions. */
  get size(): number {
    return this.#generations.reduce((sum, { size }) => sum + size, 0)
  }

  find(id: string): { readonly answer: Promise<Answer> | undefined } | undefined {
    for (const generation of this.#generations) {
      const heard = generation.get(id)
      if (heard) return heard
    }
    return undefined
  }

  /** `answer` never rejects. A question that `wasNotDone` is forgotten with its answer, so that it may be asked again. */
  remember(id: string, answer: Promise<Answer>, wasNotDone: (answer: Answer) => boolean): void {
    this.#turn()
    const questions = this.#generations[0]!
    const heard: Heard<Answer> = { answer, done: false }
    questions.set(id, heard)
    void answer.then((reply) => {
      heard.done = true
      if (wasNotDone(reply)) questions.delete(id)
    })
  }

  /** Begins a new generation when it is time, and drops the oldest. */
  #turn(): void {
    const now = this.#now()
    if (now - this.#turned_at <= GENERATION_MS && this.#generations[0]!.size < MAX) return
    this.#turned_at = now
    this.#generations.unshift(new Map())
    this.#generations.length = Math.min(this.#generations.length, GENERATIONS)
    for (const heard of this.#generations[ANSWERED_GENERATIONS]?.values() ?? []) {
      if (heard.done) heard.answer = undefined
    }
  }
}
