/**
 * The proof of each protection of the engine: without it, histories must go wrong. The text to replace has to occur
 * exactly once, so that the table keeps up with the code. One file: it is one table.
 */
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'

type Edit = { file: string; from: string; to: string }
/** A change of the engine. `among` names the faults of its histories. Default: all. */
type Mutant = { name: string; edits: readonly Edit[]; among?: readonly string[] }

const root = new URL('../../', import.meta.url)

const one = (name: string, file: string, from: string, to: string, among?: readonly string[]): Mutant => ({
  name,
  edits: [{ file, from, to }],
  ...(among && { among }),
})

const WORK = 'runtime/scheduler/committed_work.ts'
const SETTLEMENT = 'runtime/scheduler/settlement.ts'
const ACTIVATION = 'runtime/actor/activation.ts'
const LANE = 'runtime/commit/lane.ts'
const INBOX = 'runtime/messages/inbox.ts'
const EARLY = 'runtime/actor/early_message.ts'
const MODEL = 'test/simulation/model_store.ts'
const MODEL_COMMIT = 'test/simulation/model_commit.ts'
const MODEL_LEASES = 'test/simulation/model_leases.ts'
/** Faults among which a node without a lease goes on, while the database loses what another node has stored. */
const LEASELESS = ['lost-commits-untold', 'kill', 'slow-line', 'islands', 'join', 'silence', 'pause']

export const mutants: readonly Mutant[] = [
  {
    name: 'slow work begins without the lease and the epoch',
    edits: [
      {
        file: WORK,
        from: 'if (is_held && !(is_quiet',
        to: 'if (!(is_quiet',
      },
      {
        file: SETTLEMENT,
        from: 'if (!this.#residents.isOwned(activation)) {\n      this.#residents.forget(activation)',
        to: 'if (false) {\n      this.#residents.forget(activation)',
      },
      { file: 'runtime/actor/slow_work.ts', from: 'activation.generation === generation && isHeld()', to: 'true' },
    ],
  },
  one(
    'slow work is permitted without the lease',
    WORK,
    'work, () => this.#residents.isHeld(activation), {',
    'work, () => true, {',
  ),
  one(
    'a peek is answered without the lease',
    'runtime/scheduler/scheduler.ts',
    'this.#handover.isClosing(activation.partition) || !this.#residents.isHeld(activation))',
    'this.#handover.isClosing(activation.partition))',
  ),
  one(
    'actors are loaded without the lease',
    'runtime/scheduler/loader.ts',
    'const { database, store, log, leased } = this.#options\n',
    'const { database, store, log } = this.#options\n    const leased = () => true\n',
    LEASELESS,
  ),
  one('the fence compares no epochs', MODEL_COMMIT, 'tables.partitions.get(partition)?.epoch === epoch', 'epoch > 0'),
  one('a doubt is not settled', LANE, 'const outcome = await this.#resolve()', "const outcome = 'refused' as string"),
  one('partitions are taken whoever has a lease', MODEL, '|| !leased.has(owner)', '|| true'),
  one(
    'a lease is valid from its answer on',
    'runtime/cluster/lease.ts',
    '= sent + LEASE_MS',
    '= clock.monotonic() + LEASE_MS',
  ),
  one(
    'nodes are declared dead before their leases end',
    'runtime/cluster/silent_nodes.ts',
    'LEASE_MS * 1.125',
    'LEASE_MS * 0.4',
  ),
  one(
    'nodes die though nobody could look',
    'runtime/cluster/silent_nodes.ts',
    'answered - last.answered > GAP_MS',
    'false',
  ),
  one(
    'memory outlives the lease',
    'runtime/node/ownership.ts',
    'engine.owned_partitions.dropAll()\n        engine.lane.beginAnew()',
    '',
  ),
  one(
    'a database that went back is not believed',
    'runtime/node/ownership.ts',
    'this.coordination.lease.revoke()\n',
    '',
  ),
  one(
    'a commit goes to another history than it was decided on',
    'test/simulation/line.ts',
    'if (history !== undefined && history !== this.#history) call',
    'if (false) call',
  ),
  one(
    'epochs are not compared again after a source was registered',
    LANE,
    'pending_turns = this.#standing(pending_turns)\n',
    '',
    ['lost-commits-after-look', 'join', 'leave'],
  ),
  one(
    'a row that others hold is waited for as long as they hold it',
    'runtime/failure.ts',
    "return 'blocked'",
    "return 'unknown'",
    ['locked-state'],
  ),
  one(
    'connections to a server that takes no writes are kept',
    'test/simulation/line.ts',
    "in a read-only transaction'))\n      this.#connections.clear()",
    "in a read-only transaction'))",
    ['demoted'],
  ),
  one('a source that vanished young is no sign', LANE, '< RETIRE_MS * 0.9', '< 0'),
  one(
    'a source is left without a look at its counter',
    LANE,
    "if (this.source !== 0 && (await this.#resolve()) === 'gone')",
    'if (false)',
  ),
  {
    name: 'a source is looked at before the next one stands',
    edits: [
      {
        file: LANE,
        from: 'const source = await this.#store.newSource(',
        to: "const outcome = this.source === 0 ? 'none' : await this.#resolve()\n        const source = await this.#store.newSource(",
      },
      {
        file: LANE,
        from: "if (this.source !== 0 && (await this.#resolve()) === 'gone')",
        to: "if (outcome === 'gone')",
      },
    ],
    among: ['lost-commits-after-look', 'slow-line', 'join', 'leave'],
  },
  one(
    'silence is counted on where a database went back',
    'runtime/cluster/coordination.ts',
    'this.membership.leaseEnded()\n',
    '',
    ['lost-commits', 'kill', 'slow-line', 'islands'],
  ),
  {
    name: 'a lease goes on from a stamp that went back',
    edits: [
      { file: MODEL_LEASES, from: '!row || row.stamp < known', to: '!row' },
      {
        file: 'runtime/cluster/lease.ts',
        from: 'renewal.before !== undefined && renewal.before < this.#stamp',
        to: 'false',
      },
    ],
    among: ['lost-commits-untold', 'kill', 'slow-line'],
  },
  one('a turn tells only those who watched when it was decided', SETTLEMENT, 'pending_turn.reportUnwatched()', ''),
  one('a takeover tells no watcher', 'runtime/node/ownership.ts', 'taken: () => announcer.resync()', 'taken() {}'),
  one('a new owner keeps its source', 'runtime/cluster/owned_partitions.ts', 'lane.renew()\n', ''),
  one(
    'a gap in the numbers is skipped',
    INBOX,
    'expected === undefined || batch.first > expected',
    'expected === undefined',
  ),
  one(
    'a former source is not compared',
    INBOX,
    'this.#expected.get(former.source) === former.next ? 1 : undefined',
    '1',
    ['lost-messages', 'join', 'leave', 'kill'],
  ),
  one('messages are settled twice', MODEL_COMMIT, '!outbox.every((key) => tables.outbox.has(key))', 'false'),
  one('timers fire twice', MODEL_COMMIT, '!fires.every((_, index) => isSet(index))', 'false'),
  one(
    'nobody looks for messages that were lost on the way',
    'runtime/messages/outbox_sweep.ts',
    'void this.#sweep()',
    'void Promise.resolve()',
  ),
  one('a scan that is out of date sets timers', 'runtime/scheduler/timers.ts', '!this.#recent.has(id) && ', ''),
  one(
    'timers wait for a clock that was turned',
    'runtime/scheduler/timers.ts',
    'const LOOK_MS = 1000',
    'const LOOK_MS = 1e9',
  ),
  one(
    'timers are armed for another owner',
    SETTLEMENT,
    'activation && this.#residents.isOwned(activation)',
    'activation',
  ),
  one(
    'messages of unknown types are parked',
    'runtime/scheduler/turns.ts',
    'if (error instanceof UnknownType)',
    'if (false)',
  ),
  one('held messages are overtaken', ACTIVATION, 'if (this.#held && isDurable(entry)) {', 'if (false) {'),
  one(
    'an actor catches up with what it has',
    'runtime/scheduler/overflow.ts',
    '!activation.has_tells',
    'activation.waiting >= 0',
  ),
  one(
    'a result that could not be stored is forgotten',
    ACTIVATION,
    'if (rest.some(is_lost) && this',
    'if (false && this',
  ),
  one(
    'results of thrown away state are used',
    'runtime/actor/slow_work.ts',
    'return activation.generation === generation\n    }',
    'return true\n    }',
  ),
  one(
    'a node that stops loads again what is in doubt',
    'runtime/scheduler/outcomes.ts',
    'if (handover.is_draining) residents.forget(activation)',
    'if (false) residents.forget(activation)',
    ['leave', 'slow-commits', 'lost-answers', 'lost-requests'],
  ),
  one('turns stand whose senders have failed', LANE, 'early.some(({ is_void }) => is_void)', 'false'),
  one(
    'messages of failed turns are applied',
    'runtime/actor/entry.ts',
    'return entry.early?.is_void === true',
    'return false',
  ),
  one('a turn overtakes the one that it depends on', LANE, 'is_open && sender_turn.attempt !== attempt', 'false'),
  one(
    'a message is fused with a turn outside the transaction',
    EARLY,
    'this.receiver_turn?.attempt === this.sender_turn.attempt',
    'this.receiver_turn !== undefined',
  ),
  one('rows of early messages are not passed over', INBOX, 'this.#wasEarly(source, number) || catch_up', 'catch_up'),
  one(
    'rows of early messages that were let go are passed over',
    EARLY,
    'if (this.#is_kept) {\n      this.#row',
    'if (true) {\n      this.#row',
  ),
  one(
    'the outbox is read before early messages have numbers',
    INBOX,
    'if (this.#uncommitted > 0) await',
    'if (false) await',
  ),
  one(
    'messages go early where the inbox does not follow',
    INBOX,
    'this.open && !this.#isFull && this.#expected.has(source)',
    '!this.#closed && !this.#isFull',
  ),
  one('messages go early past those that catch up', INBOX, '&& !this.#late.has(address)', ''),
  one(
    'messages go early under a new source',
    LANE,
    'return this.#breaks || this.#stopped ? undefined : this.source',
    'return this.source',
  ),
  one(
    'an unanswered question is done again',
    'runtime/node/asks.ts',
    'if (!line.mayDo(partition, question))',
    'if (false)',
  ),
  one(
    'a new owner does what was asked before',
    'runtime/messages/ask_client.ts',
    'if (!repeatable && !is_first)',
    'if (false)',
  ),
]

/**
 * Returns the source of a file with the edits of a mutant. Throws when the text of an edit does not occur exactly once.
 */
export function mutate({ name, edits }: Mutant, file: string, source: string): string {
  let text = source
  for (const { from, to } of edits.filter((edit) => edit.file === file)) {
    const parts = text.split(from)
    if (parts.length !== 2)
      throw new Error(`mutant "${name}": ${file} has ${parts.length - 1} times ${JSON.stringify(from)}`)
    text = parts.join(to)
  }
  return text
}

/** Checks that all mutants can be made, and are programs. */
export function checkMutants(): void {
  for (const mutant of mutants) {
    for (const { file } of mutant.edits) {
      const source = mutate(mutant, file, readFileSync(new URL(file, root), 'utf8'))
      try {
        stripTypeScriptTypes(source)
      } catch (error) {
        throw new Error(`mutant "${mutant.name}" is no program: ${(error as Error).message}`)
      }
    }
  }
}
