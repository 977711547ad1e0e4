/** The imports that this page began, above the corner of the pane. */

import { useState } from 'preact/hooks'
import type { Project } from '../../data/project.ts'
import { percent } from '../../ui/format/figures.ts'
import { Icon } from '../../ui/pictures/icons.tsx'
import { nodePlace } from '../places.ts'
import type { Shared } from '../shared.ts'
import { counted } from '../words.ts'
import type { Upload, Uploads } from './uploads.ts'

/** Lines that are drawn. */
const MAX = 100

export function UploadsCard({ project, knowledge: { uploads } }: Shared) {
  const [is_open, setOpen] = useState(true)
  const list = uploads.list.value
  if (list.length === 0) return null
  const done = list.filter(({ state }) => state === 'done').length
  const failed = list.filter(({ state }) => state === 'failed').length
  const left = list.length - done - failed
  const text = left > 0 ? `Importing ${counted(left, 'document')}` : `${counted(done, 'document')} imported`
  return (
    <section class="card knowledge-uploads" aria-label="Imports under way">
      <div class="knowledge-uploads-head">
        <h2>
          <span role="status">
            {text}
            {failed > 0 ? `, ${failed} failed` : ''}
          </span>
        </h2>
        <button
          type="button"
          class="quiet icon-button"
          aria-label={is_open ? 'Show less' : 'Show more'}
          aria-expanded={is_open}
          onClick={() => setOpen(!is_open)}
        >
          <Icon name={is_open ? 'down' : 'up'} />
        </button>
        {left === 0 && (
          <button type="button" class="quiet icon-button" aria-label="Close" onClick={() => uploads.clear()}>
            <Icon name="close" />
          </button>
        )}
      </div>
      {is_open && (
        <ul tabindex={0} aria-label="Imports">
          {list
            .toReversed()
            .slice(0, MAX)
            .map((one) => (
              <Line project={project} uploads={uploads} upload={one} key={one.key} />
            ))}
        </ul>
      )}
    </section>
  )
}

const WORDS: Record<Upload['state'], string> = {
  waiting: 'Waiting',
  sending: 'Uploading',
  converting: 'Converting',
  done: 'Done',
  failed: 'Failed',
}

function Line({
  project,
  uploads,
  upload: { key, name, state, share, node_id, error, can_repeat },
}: {
  project: Project
  uploads: Uploads
  upload: Upload
}) {
  const is_measured = state === 'sending' && share > 0
  return (
    <li class={`knowledge-upload is-${state}`}>
      <span class="knowledge-upload-name">
        {node_id && state === 'done' ? <a href={nodePlace(project.id, node_id)}>{name}</a> : name}
      </span>
      <span class="faint">{is_measured ? percent(share, 1) : WORDS[state]}</span>
      {state === 'failed' && can_repeat && (
        <button type="button" class="quiet" aria-label={`Try again: ${name}`} onClick={() => uploads.again(key)}>
          Try again
        </button>
      )}
      {(state === 'sending' || state === 'converting') && (
        <span
          class="knowledge-progress"
          role="progressbar"
          aria-label={name}
          aria-valuenow={is_measured ? Math.round(share * 100) : undefined}
        >
          <i class={is_measured ? '' : 'is-busy'} style={{ width: is_measured ? `${share * 100}%` : undefined }}></i>
        </span>
      )}
      {error && <p class="field-error">{error}</p>}
    </li>
  )
}
