/** The prompt as the model gets it, with what is written and not saved. */

import { useEffect, useState } from 'preact/hooks'
import { errorText, faultOf } from '../../data/errors.ts'
import type { Fault } from '../../records/fault.ts'
import { number } from '../../ui/format/format.ts'
import { Icon } from '../../ui/pictures/icons.tsx'
import type { OpenAssistant } from '../open_assistant.ts'

/** Pause in typing after which the preview follows. */
const PREVIEW_MS = 400

export function PromptPane({ open }: { open: OpenAssistant }) {
  const tried = open.tried.value
  const stored = open.assistant.value?.blocks
  const [prompt, setPrompt] = useState<string | null>(null)
  const [fault, setFault] = useState<Fault | null>(null)
  const cause = JSON.stringify([tried, stored])
  useEffect(() => {
    let is_wanted = true
    const timer = setTimeout(
      () => {
        open.api.prompt(open.id, tried).then(
          (text) => {
            if (!is_wanted) return
            setPrompt(text)
            setFault(null)
          },
          (error) => is_wanted && setFault(faultOf(error)),
        )
      },
      prompt === null ? 0 : PREVIEW_MS,
    )
    return () => {
      is_wanted = false
      clearTimeout(timer)
    }
  }, [open, cause])
  return (
    <>
      <div class="section-head">
        <h2>Prompt</h2>
        {prompt !== null && <span class="faint">{number(prompt.length)} characters</span>}
      </div>
      {tried.length > 0 && (
        <p class="note">
          <Icon name="eye" /> <span>With what you have written and not saved.</span>
        </p>
      )}
      {fault && (
        <p class="note bad">
          <Icon name="alert" /> It could not be made. {errorText(fault)}
        </p>
      )}
      <pre aria-label="Text of the prompt" tabindex={0}>
        {prompt === null ? '…' : prompt === '' ? 'Nothing is written yet: the prompt is empty.' : prompt}
      </pre>
    </>
  )
}
