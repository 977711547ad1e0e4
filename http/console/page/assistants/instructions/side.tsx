/** Beside the editor: the prompt, or a conversation that tries it. */

import { useState } from 'preact/hooks'
import { useActions } from '../../ui/actions.ts'
import { lazy } from '../../ui/lazy.tsx'
import { Icon } from '../../ui/pictures/icons.tsx'
import { loadStyles } from '../../ui/styles/styles.ts'
import type { PartProps } from '../part.ts'
import { PromptPane } from './prompt_pane.tsx'

const PlaygroundPane = lazy(() =>
  Promise.all([import('../playground/playground_pane.tsx'), loadStyles(['playground.css'])]).then(
    ([module]) => module.PlaygroundPane,
  ),
)

export function Side(props: PartProps) {
  const { assistants, open } = props
  const [shown, show] = useState<'prompt' | 'playground'>('prompt')
  const may_try = assistants.may_manage
  useActions(
    () =>
      may_try
        ? [
            { text: 'Try the assistant', group: 'Assistant', icon: 'message', act: () => show('playground') },
            { text: 'Show the prompt', group: 'Assistant', icon: 'eye', act: () => show('prompt') },
          ]
        : [],
    [may_try],
  )
  const is_trying = may_try && shown === 'playground'
  return (
    <section class="card assistant-prompt" aria-label={is_trying ? 'Playground' : 'Prompt'}>
      {may_try && (
        <div class="assistant-sides" role="group" aria-label="Beside the editor">
          <button type="button" class="quiet" aria-pressed={!is_trying} onClick={() => show('prompt')}>
            <Icon name="eye" /> Prompt
          </button>
          <button type="button" class="quiet" aria-pressed={is_trying} onClick={() => show('playground')}>
            <Icon name="message" /> Playground
          </button>
        </div>
      )}
      {is_trying ? <PlaygroundPane {...props} /> : <PromptPane open={open} />}
    </section>
  )
}
