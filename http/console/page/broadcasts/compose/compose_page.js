/** The page that composes a broadcast: number and template, recipients, variables, a preview, and the way to send. */
import { html } from 'htm/preact'
import { useEffect, useState } from 'preact/hooks'
import { useActions } from '../../app/actions.js'
import { number } from '../../ui/format.js'
import { Icon } from '../../ui/icons.js'
import { Waiting } from '../../ui/waiting.js'
import { broadcastsPlace } from '../places.js'
import { ConfirmDialog } from './confirm_dialog.js'
import { PreviewPart } from './preview_part.js'
import { RecipientsPart } from './recipients_part.js'
import { TemplatePart } from './template_part.js'
import { Unsure } from './unsure.js'
import { VariablesPart } from './variables_part.js'
import { durationText, peopleText } from './words.js'

/** @typedef {import('./composition.js').Composition} Composition */

/**
 * @param {{
 *   composition: Composition
 *   project: import('../../data/project.js').Project
 *   from: import('../broadcast_list.js').BroadcastList | null
 * }} props
 */
export function ComposePage({ composition, project, from }) {
  const is_ready = composition.is_ready.value
  const definitions = project.definitions.value
  useEffect(() => void composition.open(), [composition])
  useEffect(() => {
    if (is_ready && definitions) composition.settle()
  }, [composition, is_ready, definitions])
  return html`<div class="page compose">
    <a class="back" href=${broadcastsPlace(project.id, from?.filter)}><${Icon} name="back" /> Broadcasts</a>
    <div class="page-head">
      <h1 tabindex="-1">New broadcast</h1>
      <${Discard} composition=${composition} />
    </div>
    ${
      is_ready && definitions
        ? html`<${Parts} composition=${composition} project=${project} />`
        : html`<${Waiting} label="Loading" rows=${4} />`
    }
  </div>`
}

/**
 * @param {{ composition: Composition }} props
 */
function Discard({ composition }) {
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
  return html`<div class="compose-draft">
    <span class="faint">The draft is kept in this browser.</span>
    <button type="button" class="button" onClick=${() => composition.clear()}><${Icon} name="trash" /> Discard</button>
  </div>`
}

/**
 * @param {{ composition: Composition, project: import('../../data/project.js').Project }} props
 */
function Parts({ composition, project }) {
  const is_fixed = composition.state.value !== 'idle'
  return html`<${Unsure} composition=${composition} project=${project} />
    <div class="compose-columns">
      <fieldset class="compose-form" disabled=${is_fixed}>
        <legend class="aside">The broadcast</legend>
        <${TemplatePart} composition=${composition} />
        <${RecipientsPart} composition=${composition} />
        <${VariablesPart} composition=${composition} />
      </fieldset>
      <div class="compose-side">
        <${PreviewPart} composition=${composition} />
      </div>
    </div>
    <${Bar} composition=${composition} project=${project} />`
}

/**
 * The bar at the lower edge: who gets it, how long it takes, what is still missing, and the button.
 *
 * @param {{ composition: Composition, project: import('../../data/project.js').Project }} props
 */
function Bar({ composition, project }) {
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
  return html`<div class="compose-bar card">
      <p role="status">
        <b>${people.length > 0 ? peopleText(people.length) : 'No recipients yet'}</b>
        ${people.length > 0 && html`<span class="faint"> · ${durationText(composition.estimate.value)}</span>`}
        ${left_out > 0 && html`<span class="faint"> · ${number(left_out)} left out</span>`}
        <span class=${next.is_good ? 'compose-next good' : 'compose-next wary'}>
          <${Icon} name=${next.is_good ? 'done' : 'alert'} /> ${next.text}
        </span>
      </p>
      <button
        type="button"
        class=${first ? 'button' : 'button primary'}
        disabled=${state !== 'idle'}
        onClick=${ask}
      >
        <${Icon} name=${first ? 'down' : 'send'} />
        ${first ? 'What is missing' : people.length === 1 ? 'Send to 1 person…' : `Send to ${number(people.length)} people…`}
      </button>
    </div>
    ${is_asking && html`<${ConfirmDialog} composition=${composition} project=${project} onClose=${() => setAsking(false)} />`}`
}

/**
 * The agent's next step.
 *
 * @param {import('../../../page_types/composition.ts').Hindrance[]} hindrances
 * @param {'idle' | 'sending' | 'unsure'} state
 */
function nextOf([first, ...others], state) {
  if (state !== 'idle') return { is_good: false, text: 'There is no answer yet' }
  if (!first) return { is_good: true, text: 'Ready to send' }
  return { is_good: false, text: others.length > 0 ? `${first.text} ${moreText(others.length)}` : first.text }
}

/** @param {number} count */
function moreText(count) {
  return count === 1 ? 'One more thing is missing.' : `${number(count)} more things are missing.`
}
