/** The page that composes a broadcast: number and template, recipients, variables, a preview, and the way to send. */

import { useEffect, useState } from 'preact/hooks'
import type { Project } from '../../data/project.ts'
import { useActions } from '../../ui/actions.ts'
import { number } from '../../ui/format/format.ts'
import { Icon } from '../../ui/pictures/icons.tsx'
import { Waiting } from '../../ui/placeholders/waiting.tsx'
import type { BroadcastList } from '../broadcast_list.ts'
import { broadcastsPlace } from '../places.ts'
import type { Composition } from './composition.ts'
import type { Hindrance } from './composition_form.ts'
import { ConfirmDialog } from './confirm_dialog.tsx'
import { PreviewPart } from './preview_part.tsx'
import { RecipientsPart } from './recipients_part.tsx'
import { TemplatePart } from './template_part.tsx'
import { Unsure } from './unsure.tsx'
import { VariablesPart } from './variables_part.tsx'
import { durationText, peopleText } from './words.ts'

export function ComposePage({
  composition,
  project,
  from,
}: {
  composition: Composition
  project: Project
  from: BroadcastList | null
}) {
  const is_ready = composition.is_ready.value
  const definitions = project.definitions.value
  useEffect(() => void composition.open(), [composition])
  useEffect(() => {
    if (is_ready && definitions) composition.settle()
  }, [composition, is_ready, definitions])
  return (
    <div class="page compose">
      <a class="back" href={broadcastsPlace(project.id, from?.filter)}>
        <Icon name="back" /> Broadcasts
      </a>
      <div class="page-head">
        <h1 tabindex={-1}>New broadcast</h1>
        <Discard composition={composition} />
      </div>
      {is_ready && definitions ? (
        <Parts composition={composition} project={project} />
      ) : (
        <Waiting label="Loading" rows={4} />
      )}
    </div>
  )
}

function Discard({ composition }: { composition: Composition }) {
  const { rows, template, campaign_name } = composition.form.value
  const has_content = rows.length > 0 || template !== null || campaign_name !== ''
  useActions(
    () =>
      has_content
        ? [{ text: 'Discard the draft', group: 'Broadcasts', icon: 'trash', act: () => composition.clear() }]
        : [],
    [composition, has_content],
  )
  if (!has_content || composition.state.value !== 'idle') return null
  return (
    <div class="compose-draft">
      <span class="faint">The draft is kept in this browser.</span>
      <button type="button" class="button" onClick={() => composition.clear()}>
        <Icon name="trash" /> Discard
      </button>
    </div>
  )
}

function Parts({ composition, project }: { composition: Composition; project: Project }) {
  const is_fixed = composition.state.value !== 'idle'
  return (
    <>
      <Unsure composition={composition} project={project} />
      <div class="compose-columns">
        <fieldset class="compose-form" disabled={is_fixed}>
          <legend class="aside">The broadcast</legend>
          <TemplatePart composition={composition} />
          <RecipientsPart composition={composition} />
          <VariablesPart composition={composition} />
        </fieldset>
        <div class="compose-side">
          <PreviewPart composition={composition} />
        </div>
      </div>
      <Bar composition={composition} project={project} />
    </>
  )
}

/** The bar at the lower edge: who gets it, how long it takes, what is still missing, and the button. */
function Bar({ composition, project }: { composition: Composition; project: Project }) {
  const [is_asking, setAsking] = useState(false)
  const { people, faults, repeated } = composition.sheet.value
  const hindrances = composition.hindrances.value
  const state = composition.state.value
  const [first] = hindrances
  const next = nextOf(hindrances, state)
  const left_out = faults.length + repeated.length
  const ask = () => {
    if (!first) return setAsking(true)
    const part = document.getElementById(`compose-${first.at}`)
    part?.scrollIntoView({ block: 'start' })
    part?.querySelector('h2')?.focus({ preventScroll: true })
  }
  useActions(
    () => [
      {
        text: 'Send the broadcast…',
        group: 'Broadcasts',
        icon: 'send',
        keys: 'mod+enter',
        while_typing: true,
        act: ask,
      },
    ],
    [composition, first?.text],
  )
  return (
    <>
      <div class="compose-bar card">
        <p role="status">
          <b>{people.length > 0 ? peopleText(people.length) : 'No recipients yet'}</b>
          {people.length > 0 && <span class="faint"> · {durationText(composition.estimate.value)}</span>}
          {left_out > 0 && <span class="faint"> · {number(left_out)} left out</span>}
          <span class={next.is_good ? 'compose-next good' : 'compose-next wary'}>
            <Icon name={next.is_good ? 'done' : 'alert'} /> {next.text}
          </span>
        </p>
        <button type="button" class={first ? 'button' : 'button primary'} disabled={state !== 'idle'} onClick={ask}>
          <Icon name={first ? 'down' : 'send'} />
          {first
            ? 'What is missing'
            : people.length === 1
              ? 'Send to 1 person…'
              : `Send to ${number(people.length)} people…`}
        </button>
      </div>
      {is_asking && <ConfirmDialog composition={composition} project={project} onClose={() => setAsking(false)} />}
    </>
  )
}

/** The agent's next step. */
function nextOf([first, ...others]: Hindrance[], state: 'idle' | 'sending' | 'unsure') {
  if (state !== 'idle') return { is_good: false, text: 'There is no answer yet' }
  if (!first) return { is_good: true, text: 'Ready to send' }
  return { is_good: false, text: others.length > 0 ? `${first.text} ${moreText(others.length)}` : first.text }
}

function moreText(count: number) {
  return count === 1 ? 'One more thing is missing.' : `${number(count)} more things are missing.`
}
