/**
 * What an owner was asked lately, by the id of the question, so that a question that is repeated is not done twice.
 *
 * Questions are remembered by generations: all of them for longer than anybody waits for an answer, with their answers for
 * longer than it takes to ask again. A generation that is full ends early, so that memory is bounded; a repeat that is
 * forgotten by then is answered as one that a former owner heard: done again only if that is harmless.
 */
const GENERATION_MS = 4000
const GENERATIONS = 4
const ANSWERED_GENERATIONS = 2
/** Questions of a generation: 16,000 a second before one ends early. */
const MOST = 65_536

/** `answer` is undefined for a question whose answer is forgotten. */
type Heard<Answer> = { answer: Promise<Answer> | undefined; done: boolean }

export class HeardQuestions<Answer> {
  readonly #now: () => number
  /** The youngest generation first. */
  readonly #generations: Map<string, Heard<Answer>>[] = [new Map()]
  #turned: number

  /** `now`: milliseconds of a clock that is never set. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
    this.#turned = now()
  }

  /** How many are remembered. */
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

  /** `answer` never rejects. A question that `wasNotDone` may be asked again: it is forgotten with its answer. */
  remember(id: string, answer: Promise<Answer>, wasNotDone: (answer: Answer) => boolean): void {
    this.#turn()
    const questions = this.#generations[0]!
    const heard: Heard<Answer> = { answer, done: false }
    questions.set(id, heard)
    void answer.then((given) => {
      heard.done = true
      if (wasNotDone(given)) questions.delete(id)
    })
  }

  /** Begins a generation when it is time, and forgets the oldest. */
  #turn(): void {
    const now = this.#now()
    if (now - this.#turned <= GENERATION_MS && this.#generations[0]!.size < MOST) return
    this.#turned = now
    this.#generations.unshift(new Map())
    this.#generations.length = Math.min(this.#generations.length, GENERATIONS)
    for (const heard of this.#generations[ANSWERED_GENERATIONS]?.values() ?? []) {
      if (heard.done) heard.answer = undefined
    }
  }
}
