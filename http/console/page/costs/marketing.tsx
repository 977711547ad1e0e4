/** The cost of marketing in the present month, against the cap. */

import { useState } from 'preact/hooks'
import type { MarketingSpending } from '../records/costs.ts'
import { costText, percent } from '../ui/format/figures.ts'
import { Icon } from '../ui/pictures/icons.tsx'
import { CapDialog } from './cap_dialog.tsx'
import type { CostSums } from './costs.ts'
import { dayText, monthText } from './words.ts'

export function Marketing({ sums, marketing }: { sums: CostSums; marketing: MarketingSpending }) {
  const [is_open, setOpen] = useState(false)
  const { month, cap, currency } = marketing
  return (
    <section class="card costs-marketing" aria-labelledby="costs-marketing">
      <div class="costs-head">
        <h2 id="costs-marketing">Marketing in {monthText(month)}</h2>
        {sums.may_change && (
          <button type="button" class="button" onClick={() => setOpen(true)}>
            {cap === null ? 'Set a cap' : 'Change the cap'}
          </button>
        )}
      </div>
      {currency === null ? (
        <p class="faint">No rates are loaded, so that no amount is known. An operator loads them.</p>
      ) : (
        <Spending {...{ ...marketing, currency }} />
      )}
      {is_open && <CapDialog sums={sums} marketing={marketing} onClose={() => setOpen(false)} />}
    </section>
  )
}

function Spending({ cap, spent, reserved, currency, resets_at }: MarketingSpending & { currency: string }) {
  const text = (amount: number) => costText({ amount, currency })
  if (cap === null)
    return (
      <p>
        <b>{text(spent)}</b> spent. <span class="faint">Marketing has no cap.</span>
      </p>
    )
  const taken = spent + reserved
  const share = (amount: number) => ({ width: `${Math.min(100, (100 * amount) / cap)}%` })
  const is_reached = taken >= cap
  return (
    <>
      <div
        class={`costs-bar ${is_reached ? 'is-full' : ''}`}
        role="meter"
        aria-label="Spent and reserved of the cap"
        aria-valuemin={0}
        aria-valuemax={cap}
        aria-valuenow={Math.min(cap, taken)}
        aria-valuetext={`${percent(taken, cap)} of ${text(cap)}`}
      >
        <i class="costs-spent" style={share(spent)}></i>
        <i class="costs-reserved" style={share(reserved)}></i>
      </div>
      <dl class="costs-legend">
        <div>
          <dt>
            <i class="costs-swatch costs-spent"></i> Spent
          </dt>
          <dd>{text(spent)}</dd>
        </div>
        <div>
          <dt>
            <i class="costs-swatch costs-reserved"></i> Reserved for messages under way
          </dt>
          <dd>{text(reserved)}</dd>
        </div>
        <div>
          <dt>Cap of the month</dt>
          <dd>{text(cap)}</dd>
        </div>
      </dl>
      {is_reached && (
        <p class="note wary">
          <Icon name="alert" />{' '}
          <span>
            The cap is reached: marketing goes on from {dayText(resets_at)} (UTC), or once the cap is raised. All other
            messages go on.
          </span>
        </p>
      )}
    </>
  )
}
