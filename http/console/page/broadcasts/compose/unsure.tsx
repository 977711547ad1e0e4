/** A broadcast whose request got no answer: it may have been sent. Asking again sends it once. */

import { errorText } from '../../data/errors.ts'
import type { Project } from '../../data/project.ts'
import { useAction } from '../../ui/hooks.ts'
import { Icon } from '../../ui/pictures/icons.tsx'
import { broadcastPlace, broadcastsPlace } from '../places.ts'
import type { Composition } from './composition.ts'

export function Unsure({ composition, project }: { composition: Composition; project: Project }) {
  const { run, is_busy } = useAction(async () => {
    const id = await composition.send()
    if (id !== undefined) location.hash = broadcastPlace(project.id, id)
  })
  const is_unsure = composition.state.value === 'unsure'
  const fault = composition.fault.value
  if (!is_unsure && !is_busy) return null
  return (
    <div class="trouble" role="alert">
      <Icon name="alert" />
      <div>
        <p class="trouble-title">It is not known whether this broadcast was sent</p>
        <p>{fault ? `${errorText(fault)} ` : ''}Ask again: if Parley has it already, it is not sent a second time.</p>
        <p>
          <a href={broadcastsPlace(project.id)}>Look for it in the list</a>
        </p>
      </div>
      <button type="button" class="button" disabled={is_busy} onClick={() => composition.release()}>
        Change it
      </button>
      <button type="button" class="button primary" aria-busy={is_busy} onClick={run}>
        {is_busy ? 'Asking…' : 'Ask again'}
      </button>
    </div>
  )
}
