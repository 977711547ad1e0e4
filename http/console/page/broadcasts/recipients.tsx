/** The recipients of a broadcast with the status of each. */

import type { Broadcast, Recipient } from '../records/broadcast.ts'
import { number } from '../ui/format/format.ts'
import { Moment } from '../ui/format/moment.tsx'
import { Icon } from '../ui/pictures/icons.tsx'
import { Trouble } from '../ui/placeholders/trouble.tsx'
import { Tabs } from '../ui/tabs.tsx'
import type { BroadcastDetail } from './broadcast_detail.ts'
import { broadcastPlace } from './places.ts'
import { PAGE, type RecipientPages } from './recipient_pages.ts'
import { COUNTS } from './records.ts'
import { COUNT_WORDS } from './words.tsx'

export function Recipients({ detail, broadcast }: { detail: BroadcastDetail; broadcast: Broadcast }) {
  const { recipients, project_id, id } = detail
  const { status, state, error, page, hasNext } = recipients
  const among = status ? broadcast[`${status}_count`] : broadcast.total
  return (
    <section class="card recipients" aria-labelledby="recipients-title">
      <div class="section-head">
        <h2 id="recipients-title">Recipients</h2>
      </div>
      <Tabs
        label="Recipients by status"
        tabs={[undefined, ...COUNTS].map((one) => ({
          text: one ? COUNT_WORDS[one] : 'All',
          href: broadcastPlace(project_id, id, one),
          is_current: one === status,
          count: one ? broadcast[`${one}_count`] : broadcast.total,
        }))}
      />
      {state === 'failed' ? (
        <Trouble title="The recipients could not be loaded" error={error} onRetry={() => recipients.read()} />
      ) : (
        <Table recipients={recipients} />
      )}
      <div class="pager">
        <p class="faint" role="status">
          {range(recipients, among)}
        </p>
        <button type="button" class="button" disabled={page === 0} onClick={() => recipients.previous()}>
          <Icon name="back" /> Previous
        </button>
        <button type="button" class="button" disabled={!hasNext} onClick={() => recipients.next()}>
          Next <Icon name="next" />
        </button>
      </div>
    </section>
  )
}

/** The count is the broadcast's live count: it may be ahead of the rows. */
function range({ page, recipients, hasNext }: RecipientPages, among: number) {
  if (recipients.length === 0) return ''
  const first = page * PAGE + 1
  const last = first + recipients.length - 1
  return `${number(first)}–${number(last)} of ${number(hasNext ? Math.max(among, last + 1) : last)}`
}

function Table({ recipients: { state, recipients, status } }: { recipients: RecipientPages }) {
  if (state === 'ready' && recipients.length === 0) {
    return <p class="nobody faint">{status ? `Nobody is ${status} right now.` : 'Nobody yet.'}</p>
  }
  const is_first_read = state === 'loading' && recipients.length === 0
  return (
    <table class={`recipients-table ${state === 'loading' ? 'is-loading' : ''}`} aria-busy={state === 'loading'}>
      <caption class="aside">Recipients</caption>
      <colgroup>
        <col class="col-index" />
        <col class="col-phone" />
        <col class="col-status" />
        <col class="beside" />
        <col class="col-when" />
      </colgroup>
      <thead>
        <tr>
          <th scope="col" class="index">
            #
          </th>
          <th scope="col">Person</th>
          <th scope="col">Status</th>
          <th scope="col" class="beside">
            Reason
          </th>
          <th scope="col" class="when">
            Updated
          </th>
        </tr>
      </thead>
      <tbody>
        {is_first_read
          ? Array.from({ length: 8 }, (_, row) => <Blank key={row} />)
          : recipients.map((one) => <Row {...one} key={one.index} />)}
      </tbody>
    </table>
  )
}

/** The reason has a column of its own, or goes under the status where there is no room for one. */
function Row({ index, phone, status, error, updated_at, chat_user_name }: Recipient) {
  const reason = error && (
    <>
      <code>{String(error.code)}</code> <span>{String(error.message)}</span>
    </>
  )
  return (
    <tr>
      <td class="index faint">{number(index + 1)}</td>
      <td class="phone">
        {chat_user_name && (
          <div>
            <bdi>{chat_user_name}</bdi>
          </div>
        )}
        {phone}
      </td>
      <td>
        <span class="state">
          <i class={`swatch ${status}`}></i>
          {COUNT_WORDS[status]}
        </span>
        <div class="reason below">{reason}</div>
      </td>
      <td class="reason beside">{reason}</td>
      <td class="when">
        <Moment at={updated_at} />
      </td>
    </tr>
  )
}

function Blank() {
  return (
    <tr class="blank">
      <td class="index"></td>
      <td>
        <i></i>
      </td>
      <td>
        <i></i>
      </td>
      <td class="beside"></td>
      <td class="when"></td>
    </tr>
  )
}
