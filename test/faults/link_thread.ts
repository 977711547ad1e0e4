/**
 * The thread of the links: traffic through them does not wait for the other work of a test. The thread carries out the
 * commands of `link.ts` in order, and answers each.
 */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { parentPort } from 'node:worker_threads'

/**
 * The treatment of answers. `pass`: as they come. `hold`: all at the end. `lose`: never; their connections are reset at
 * the end.
 */
export type Answers = 'pass' | 'hold' | 'lose'

export type Command =
  | { do: 'open'; port: number }
  | { do: 'answer'; how: Answers }
  | { do: 'answerFrom'; text: string; how: Answers }
  | { do: 'resetEach'; text: string | null }
  | { do: 'break' }
  | { do: 'cut' }
  | { do: 'join' }
  | { do: 'lead'; port: number }

/** An answer to a command. `seen` comes without a question, when the words of `answerFrom` have come. */
export type Told = { link: number; id: number; value: number } | { link: number; seen: true }

/**
 * A connection through the link. `held`: answers not passed on yet. `lossy`: its client missed an answer, so nothing
 * that follows would make sense. `doomed`: reset instead of the next answer.
 */
type Line = { client: Socket; server: Socket; held: Buffer[]; lossy: boolean; doomed: boolean }

class Way {
  #port = 0
  #listener: Server | undefined
  #answers: Answers = 'pass'
  #is_open = true
  /** The words to the server after which the treatment of answers changes. */
  #awaited: { text: string; how: Answers } | undefined
  #reset_text: string | null = null
  #resets = 0
  readonly #lines = new Set<Line>()
  readonly #seen: () => void

  constructor(seen: () => void) {
    this.#seen = seen
  }

  /** Resolves to the result: a port, or a count. */
  async carryOut(command: Command): Promise<number> {
    switch (command.do) {
      case 'open':
        return this.#listen(command.port)
      case 'answer':
        this.#awaited = undefined
        this.#answer(command.how)
        return 0
      case 'answerFrom':
        this.#awaited = command
        return 0
      case 'resetEach':
        this.#reset_text = command.text
        return this.#resets
      case 'break':
        this.#break()
        return 0
      case 'cut':
        this.#is_open = false
        this.#break()
        return 0
      case 'join':
        this.#is_open = true
        return 0
      case 'lead':
        this.#port = command.port
        return 0
    }
  }

  async #listen(port: number): Promise<number> {
    this.#port = port
    const listener = createServer((client) => this.#join(client))
    this.#listener = listener
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
    return (this.#listener.address() as AddressInfo).port
  }

  #answer(how: Answers): void {
    this.#answers = how
    if (how !== 'pass') return
    for (const line of [...this.#lines]) {
      if (line.lossy) reset(line)
      else for (const piece of line.held.splice(0)) line.client.write(piece)
    }
  }

  #break(): void {
    for (const line of [...this.#lines]) reset(line)
  }

  #join(client: Socket): void {
    client.on('error', () => {})
    if (!this.#is_open) {
      client.resetAndDestroy()
      return
    }
    client.setNoDelay(true)
    const server = connect({ port: this.#port, host: '127.0.0.1', noDelay: true })
    const line: Line = { client, server, held: [], lossy: false, doomed: false }
    this.#lines.add(line)
    server.on('error', () => {})
    client.on('data', (piece) => {
      this.#notice(piece, line)
      pass(piece, client, server)
    })
    server.on('data', (piece) => {
      if (line.doomed) reset(line)
      else if (this.#answers === 'hold') line.held.push(piece)
      else if (this.#answers === 'lose') line.lossy = true
      else pass(piece, server, client)
    })
    client.on('close', () => {
      this.#lines.delete(line)
      server.destroySoon()
    })
    server.on('close', () => {
      // Held answers also hide the end.
      if (this.#answers === 'pass') client.destroySoon()
      else line.lossy = true
    })
  }

  /** Looks for the awaited words before they go on, so before any answer to them. */
  #notice(piece: Buffer, line: Line): void {
    if (this.#reset_text !== null && piece.includes(this.#reset_text)) {
      line.doomed = true
      this.#resets++
    }
    if (!this.#awaited || !piece.includes(this.#awaited.text)) return
    this.#answer(this.#awaited.how)
    this.#awaited = undefined
    this.#seen()
  }
}

function reset({ client, server }: Line): void {
  client.resetAndDestroy()
  server.destroy()
}

function pass(piece: Buffer, from: Socket, to: Socket): void {
  if (to.write(piece)) return
  from.pause()
  to.once('drain', () => from.resume())
}

const ways = new Map<number, Way>()
const tell = (told: Told) => parentPort!.postMessage(told)

parentPort!.on('message', async ({ link, id, command }: { link: number; id: number; command: Command }) => {
  const way = ways.get(link) ?? new Way(() => tell({ link, seen: true }))
  ways.set(link, way)
  tell({ link, id, value: await way.carryOut(command) })
})
