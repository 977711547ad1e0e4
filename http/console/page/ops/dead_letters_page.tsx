/** Messages between actors that could not be applied: by type and one by one, to be replayed or dropped. */

import { useEffect, useState } from 'preact/hooks'
import type { Api } from '../data/api.ts'
import type { Place } from '../data/place.ts'
import type { Fault } from '../records/fault.ts'
import { number } from '../ui/format/format.ts'
import { Moment } from '../ui/format/moment.tsx'
import { toast } from '../ui/overlays/toast.ts'
import { Icon } from '../ui/pictures/icons.tsx'
import { Trouble } from '../ui/placeholders/trouble.tsx'
import { Waiting } from '../ui/placeholders/waiting.tsx'
import { Detail, nameOf } from './dead_letter.tsx'
import { Cell, Chip, Listing, Question } from './listing.tsx'
import { type Pages, usePages } from './pages.ts'
import { opsPlace } from './places.ts'
import type { Letter, LetterGroup } from './records.ts'

type Groups = { groups: LetterGroup[]; counted: number; is_complete: boolean }

export function DeadLettersPage({ api, place: { query, path } }: { api: Api; place: Place }) {
  const { kind, type } = query
  const id = path[1]
  const [groups, setGroups] = useState<Groups | null>(null)
  const [fault, setFault] = useState<Fault | null>(null)
  const [asked, setAsked] = useState<{ what: 'replay' | 'drop'; group: LetterGroup } | null>(null)
  const pages: Pages<Letter> = usePages(api, 'ops/dead-letters', { kind, type })
  const read = async () => {
    try {
      setGroups(await api.request('GET', 'ops/dead-letters/types'))
      setFault(null)
    } catch (error) {
      setFault(error as Error)
    }
  }
  useEffect(() => void read(), [api])
  // The dialog is closed, too, when the address leads elsewhere.
  const leave = () => {
    if (location.hash.startsWith(`${opsPlace('dead-letters')}/`)) location.hash = opsPlace('dead-letters', query)
  }
  const again = () => Promise.all([read(), pages.read()])
  if (!groups && fault) return <Trouble title="The dead letters could not be loaded" error={fault} onRetry={read} />
  if (!groups) return <Waiting label="Loading dead letters" rows={3} />
  return (
    <>
      <p class="faint">
        Messages between actors that failed again and again. Read the error and mend its cause, then replay them: each
        is applied once.{!groups.is_complete && ` Only the newest ${number(groups.counted)} are shown here.`}
      </p>
      {groups.groups.length > 0 && <Groups groups={groups.groups} query={query} onAsk={setAsked} />}
      <div class="ops-filters">
        {kind && <Chip text={`${kind}${type ? ` · ${type}` : ''}`} href={opsPlace('dead-letters')} />}
      </div>
      <Listing
        label="Dead letters"
        pages={pages}
        columns={['Message', 'Receiver', 'Error', 'Parked']}
        row={(letter) => <Row letter={letter} query={query} key={letter.id} />}
        empty={{ title: 'No dead letters', text: 'Every message between actors was applied.', icon: 'done' }}
      />
      {id && <Detail api={api} id={id} onClose={leave} onDone={again} key={id} />}
      {asked && <GroupQuestion api={api} {...asked} onClose={() => setAsked(null)} onDone={again} />}
    </>
  )
}

function Groups({
  groups,
  query,
  onAsk,
}: {
  groups: LetterGroup[]
  query: Record<string, string>
  onAsk: (asked: { what: 'replay' | 'drop'; group: LetterGroup }) => void
}) {
  return (
    <ul class="ops-groups" aria-label="By type">
      {groups.map((group) => {
        const { kind, type, count, error, newest_at } = group
        const is_current = query.kind === kind && query.type === (type ?? undefined)
        return (
          <li class="card" aria-current={is_current ? 'true' : undefined} key={nameOf(group)}>
            <div class="ops-group-head">
              <a class="ops-plain" href={opsPlace('dead-letters', { kind, type: type ?? undefined })}>
                {nameOf(group)}
              </a>
              <b class="ops-count">{number(count)}</b>
            </div>
            <p class="ops-reason">{error}</p>
            <p class="faint">
              newest <Moment at={newest_at} />
            </p>
            {type !== null && (
              <div class="actions">
                <button
                  type="button"
                  class="button"
                  aria-label={`Replay all ${nameOf(group)}`}
                  onClick={() => onAsk({ what: 'replay', group })}
                >
                  <Icon name="refresh" /> Replay all…
                </button>
                <button
                  type="button"
                  class="quiet danger"
                  aria-label={`Drop all ${nameOf(group)}`}
                  onClick={() => onAsk({ what: 'drop', group })}
                >
                  Drop all…
                </button>
              </div>
            )}
          </li>
        )
      })}
    </ul>
  )
}

/** Replays or drops all of a type, a thousand with each request. */
function GroupQuestion({
  api,
  what,
  group,
  onClose,
  onDone,
}: {
  api: Api
  what: 'replay' | 'drop'
  group: LetterGroup
  onClose(): void
  onDone(): unknown
}) {
  const { kind, type, count } = group
  const [done, setDone] = useState(0)
  const act = async () => {
    let max_id: string | undefined
    let total = 0
    for (let is_over = false; !is_over; ) {
      const json = { kind, type, max_id, ...(what === 'drop' && { confirm: true }) }
      const answer = await api.request('POST', `ops/dead-letters/${what}`, { json })
      const some = answer.replayed ?? answer.dropped
      total += some
      setDone(total)
      max_id = answer.max_id ?? undefined
      is_over = some === 0 || answer.remaining === 0
    }
    toast(`${number(total)} ${what === 'drop' ? 'dropped' : 'replayed'}`)
    await onDone()
  }
  const is_drop = what === 'drop'
  return (
    <Question
      title={is_drop ? `Drop ${number(count)} messages for good?` : `Replay ${number(count)} messages?`}
      act_text={is_drop ? 'Drop them for good' : 'Replay them'}
      act={act}
      onClose={onClose}
      is_danger={is_drop}
    >
      <p>
        All of the type <b>{nameOf(group)}</b>, oldest first.
        {is_drop
          ? ' What they were to do is never done, and this cannot be taken back.'
          : ' Those that fail again are parked again.'}
      </p>
      <p role="status">{done > 0 && `${number(done)} so far…`}</p>
    </Question>
  )
}

function Row({ letter, query }: { letter: Letter; query: Record<string, string> }) {
  return (
    <tr>
      <Cell class="ops-first">
        <a class="ops-plain" id={letter.id} href={opsPlace('dead-letters', query, letter.id)}>
          {nameOf(letter)}
        </a>
      </Cell>
      <Cell name="Receiver">
        <code class="ops-break">{letter.address}</code>
      </Cell>
      <Cell name="Error">
        <span class="ops-reason">{letter.error}</span>
      </Cell>
      <Cell name="Parked">
        <Moment at={letter.parked_at} />
      </Cell>
    </tr>
  )
}
