/** The author of an answer of an assistant, and why the assistant answered so. */

import { useState } from 'preact/hooks'
import { assistantsOf } from '../../../data/assistants.ts'
import type { Project } from '../../../data/project.ts'
import type { AnyRecord } from '../../../records/record.ts'
import { lazy } from '../../../ui/lazy.tsx'
import type { Thread } from '../conversation/thread.ts'

const Why = lazy(() => import('./why.tsx').then((module) => module.Why))

export function ByAssistant({ message, project, thread }: { message: AnyRecord; project: Project; thread: Thread }) {
  const [is_asked, setAsked] = useState(false)
  const name = assistantsOf(project).nameOf(message.assistant_id) ?? 'Assistant'
  return (
    <>
      <bdi>{name}</bdi> ·{' '}
      <button type="button" class="link" onClick={() => setAsked(true)}>
        Why?
      </button>{' '}
      ·
      {is_asked && (
        <Why message={message} name={name} project={project} thread={thread} onClose={() => setAsked(false)} />
      )}
    </>
  )
}
