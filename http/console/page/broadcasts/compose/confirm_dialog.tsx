/** The last question before a broadcast is sent: to how many, with which template, from which number. */

import type { Project } from '../../data/project.ts'
import { number } from '../../ui/format/format.ts'
import { Refusal } from '../../ui/forms/form_end.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { Icon } from '../../ui/pictures/icons.tsx'
import { broadcastPlace } from '../places.ts'
import type { Composition } from './composition.ts'
import { durationText, templateTrouble } from './words.ts'

export function ConfirmDialog({
  composition,
  project,
  onClose,
}: {
  composition: Composition
  project: Project
  onClose(): void
}) {
  const { template, campaign_name, rows } = composition.form.value
  const { people, faults, repeated } = composition.sheet.value
  const state = composition.state.value
  const fault = composition.fault.value
  const channel = composition.channel.value
  const count = people.length === 1 ? '1 person' : `${number(people.length)} people`
  const trouble = templateTrouble(composition.template.value?.status ?? 'APPROVED')
  const is_busy = state === 'sending'
  const send = async (close: () => void) => {
    const id = await composition.send()
    if (id !== undefined) location.hash = broadcastPlace(project.id, id)
    else if (composition.state.value === 'unsure') close()
  }
  // After sending the form is empty, while the page is left.
  if (rows.length === 0 || !template) return null
  return (
    <Dialog
      title={`Send to ${count}?`}
      onClose={onClose}
      actions={(close) => (
        <>
          <button type="button" class="button" disabled={is_busy} onClick={close}>
            Back
          </button>
          <button type="button" class="button primary" aria-busy={is_busy} onClick={() => is_busy || send(close)}>
            {is_busy ? 'Sending…' : `Send to ${count}`}
          </button>
        </>
      )}
    >
      <dl class="compose-facts">
        {campaign_name.trim() && (
          <div>
            <dt>Campaign</dt>
            <dd>{campaign_name.trim()}</dd>
          </div>
        )}
        <div>
          <dt>Template</dt>
          <dd>
            {template.name} <span class="faint">{template.language}</span>
          </dd>
        </div>
        <div>
          <dt>From</dt>
          <dd>{channel?.name}</dd>
        </div>
        <div>
          <dt>Takes</dt>
          <dd>{durationText(composition.estimate.value)}</dd>
        </div>
        {faults.length > 0 && (
          <div>
            <dt>Left out</dt>
            <dd>{number(faults.length)} with mistakes</dd>
          </div>
        )}
        {repeated.length > 0 && (
          <div>
            <dt>Listed again</dt>
            <dd>{number(repeated.length)}, each gets it once</dd>
          </div>
        )}
      </dl>
      <p class="faint">It begins at once. What has been sent cannot be taken back; the rest can be cancelled.</p>
      {trouble && (
        <p class="note wary">
          <Icon name="alert" /> {trouble}
        </p>
      )}
      <Refusal fault={is_busy ? null : fault} />
      <p class="faint" role="status">
        {is_busy && fault ? 'No answer yet. Asking again; it is sent once.' : ''}
      </p>
    </Dialog>
  )
}
