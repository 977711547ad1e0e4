/** The cost of messages in a month. */

import { addressOf } from '../data/places.ts'
import type { Costs, GroupedCost } from '../records/costs.ts'
import { number } from '../ui/format/format.ts'
import { Icon } from '../ui/pictures/icons.tsx'
import { Empty } from '../ui/placeholders/empty.tsx'
import { Trouble } from '../ui/placeholders/trouble.tsx'
import { Waiting } from '../ui/placeholders/waiting.tsx'
import { Tabs } from '../ui/tabs.tsx'
import type { CostSums } from './costs.ts'
import { Marketing } from './marketing.tsx'
import { type CostsPlace, costsPlace, GROUPS, monthAfter, monthOf } from './places.ts'
import { amountOf, GROUP_WORDS, groupText, monthText, unpricedText } from './words.ts'

export function CostsPage({ sums, place }: { sums: CostSums; place: CostsPlace }) {
  const costs = sums.costs.value
  const fault = sums.fault.value
  const marketing = sums.marketing.value
  return (
    <div class="page">
      <div class="page-head">
        <h1 tabindex={-1}>Costs</h1>
        <a class="button" href={sums.address(place)} download>
          <Icon name="download" /> Download as CSV
        </a>
      </div>
      {marketing && <Marketing sums={sums} marketing={marketing} />}
      <section class="card costs-sums" aria-labelledby="costs-month">
        <Month place={place} project_id={sums.project_id} />
        {fault && <Trouble title="The costs could not be loaded" error={fault} onRetry={() => sums.read()} />}
        {costs ? <Sums sums={sums} costs={costs} place={place} /> : fault || <Waiting label="Loading costs" rows={4} />}
      </section>
    </div>
  )
}

function Month({ place: { by, month }, project_id }: { place: CostsPlace; project_id: string }) {
  const is_present = month === monthOf(new Date())
  const before = monthAfter(month, -1)
  const after = monthAfter(month, 1)
  return (
    <div class="costs-head">
      <h2 id="costs-month">{monthText(month)}</h2>
      <nav class="costs-months" aria-label="Month">
        <a class="button" href={costsPlace(project_id, { by, month: before })}>
          {monthText(before)}
        </a>
        {!is_present && (
          <a class="button" href={costsPlace(project_id, { by, month: after })}>
            {monthText(after)}
          </a>
        )}
      </nav>
    </div>
  )
}

function Sums({ sums, costs, place }: { sums: CostSums; costs: Costs; place: CostsPlace }) {
  const { totals, data, has_more } = costs
  if (data.length === 0)
    return (
      <Empty
        icon="costs"
        title="Nothing was charged in this month"
        text="A message is charged once it is delivered and its provider has told the price. WhatsApp tells prices; other channels have none."
      />
    )
  const unpriced = unpricedText(totals)
  const { by, month } = place
  const { project_id } = sums
  const grouping = GROUPS.find((group) => group === costs.group_by) ?? by
  const tabs = GROUPS.map((group) => ({
    text: GROUP_WORDS[group],
    href: costsPlace(project_id, { by: group, month }),
    is_current: group === by,
  }))
  return (
    <>
      <dl class="costs-totals">
        {totals
          .filter(({ amount }) => amount !== null)
          .map((total) => (
            <div key={total.currency}>
              <dt>In all</dt>
              <dd class="costs-amount">{amountOf(total)}</dd>
              <dd class="faint">
                {number(total.message_count)} {total.message_count === 1 ? 'message' : 'messages'},{' '}
                {number(total.billable_count)} charged
              </dd>
            </div>
          ))}
      </dl>
      {unpriced && (
        <p class="note wary">
          <Icon name="alert" /> <span>{unpriced}</span>
        </p>
      )}
      <Tabs label="Costs by" tabs={tabs} />
      <Table rows={data} by={grouping} project_id={project_id} />
      {has_more && (
        <button type="button" class="button" disabled={sums.is_busy.value} onClick={() => sums.more()}>
          {sums.is_busy.value ? 'Loading…' : 'Show more'}
        </button>
      )}
      <p class="faint costs-hint">
        Days and months are those of UTC. Amounts are list prices: without discounts and taxes.
      </p>
    </>
  )
}

function Table({ rows, by, project_id }: { rows: GroupedCost[]; by: CostsPlace['by']; project_id: string }) {
  return (
    <table class="costs-table">
      <caption class="aside">Costs by {GROUP_WORDS[by].toLowerCase()}</caption>
      <thead>
        <tr>
          <th scope="col">{GROUP_WORDS[by]}</th>
          <th scope="col" class="costs-figure">
            Messages
          </th>
          <th scope="col" class="costs-figure costs-beside">
            Charged
          </th>
          <th scope="col" class="costs-figure">
            Amount
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={`${row.group} ${row.currency}`}>
            <th scope="row">
              {by === 'broadcast' && row.group !== null ? (
                <a href={addressOf(project_id, 'broadcasts', [row.group])}>
                  <bdi>{groupText(row, by)}</bdi>
                </a>
              ) : (
                <bdi>{groupText(row, by)}</bdi>
              )}
            </th>
            <td class="costs-figure">{number(row.message_count)}</td>
            <td class="costs-figure costs-beside">{number(row.billable_count)}</td>
            <td class={`costs-figure ${row.amount === null ? 'faint' : ''}`}>{amountOf(row)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
