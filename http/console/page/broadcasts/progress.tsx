/** The progress of a broadcast as a bar and in numbers. */

import type { Broadcast } from '../records/broadcast.ts'
import { percent } from '../ui/format/figures.ts'
import { number } from '../ui/format/format.ts'
import { COUNTS, doneOf } from './records.ts'
import { COUNT_WORDS } from './words.tsx'

/** One part for each count, by its share of the whole. The rest is pending. */
export function Bar({ broadcast }: { broadcast: Broadcast }) {
  const { total } = broadcast
  const done = doneOf(broadcast)
  const counts = COUNTS.map((name) => ({ name, count: broadcast[`${name}_count`] }))
  const words = counts.filter(({ count }) => count > 0).map(({ name, count }) => `${number(count)} ${name}`)
  return (
    <div
      class="bar"
      role="progressbar"
      aria-label="Progress"
      aria-valuemin={0}
      aria-valuemax={total}
      aria-valuenow={done}
      aria-valuetext={`${percent(done, total)}: ${words.join(', ')}`}
    >
      {counts
        .filter(({ name }) => name !== 'pending')
        .map(({ name, count }) => (
          <i
            class={`part ${name} ${count > 0 ? 'some' : ''}`}
            style={{ width: `${(100 * count) / total}%` }}
            key={name}
          ></i>
        ))}
    </div>
  )
}

/** The five counts, each at a fixed position for any number of digits. */
export function Counts({ broadcast }: { broadcast: Broadcast }) {
  return (
    <dl class="counts">
      {COUNTS.map((name) => {
        const count = broadcast[`${name}_count`]
        return (
          <div class={count > 0 ? 'some' : ''} key={name}>
            <dt>
              <i class={`swatch ${name}`}></i>
              {COUNT_WORDS[name]}
            </dt>
            <dd>{number(count)}</dd>
          </div>
        )
      })}
    </dl>
  )
}
