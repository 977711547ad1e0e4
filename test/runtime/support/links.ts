import { type ActorKind, defineActor } from '../../../runtime/mod.ts'

/** The numbers that a link has seen of each origin, in the order they were applied. */
export type Seen = Record<string, number[]>

export type LinkProtocol = {
  /** Takes the next number of this origin, sends it along the path and replies with it. */
  next: { message: { path: string[] }; reply: number }
  pass: { message: { origin: string; n: number; path: string[] }; reply: number }
  seen: { message: object; reply: Seen }
}
type State = { n: number; seen: Seen }

/**
 * Actors in a chain: each tells the next what it has seen. Order, loss and doubling of the numbers taken at the head
 * show at every link. `onPass` runs inside the receiver. `more`: further parts of the kind.
 */
export function linkKind(
  kind = 'link',
  onPass: (key: string, n: number) => void = () => {},
  more: Pick<ActorKind<LinkProtocol, State>, 'early' | 'read'> = {},
) {
  return defineActor<LinkProtocol, State>({
    ...more,
    kind,
    create: () => ({ n: 0, seen: {} }),
    receive: {
      next(turn, { path }) {
        const n = ++turn.state.n
        turn.save()
        if (path.length > 0)
          turn.tell(path[0]!, { type: 'pass', origin: turn.address, n, path: path.slice(1) } as never)
        return n
      },
      pass(turn, { origin, n, path }) {
        onPass(turn.key, n)
        const seen = turn.state.seen[origin] ?? []
        turn.state.seen[origin] = seen
        seen.push(n)
        turn.save()
        if (path.length > 0) turn.tell(path[0]!, { type: 'pass', origin, n, path: path.slice(1) } as never)
        return seen.length
      },
      seen: (turn) => turn.state.seen,
    },
  })
}

/** Returns 1, 2, … n. */
export const upTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1)
