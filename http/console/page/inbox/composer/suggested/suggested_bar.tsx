/** Says above the field what became of a suggestion. */

import { reasonClause } from '../../../crm/turn_reasons.ts'
import { Icon } from '../../../ui/pictures/icons.tsx'
import { Trouble } from '../../../ui/placeholders/trouble.tsx'
import type { ComposeProps } from '../compose_props.ts'
import type { SuggestedState } from './suggested_reply.ts'

export function SuggestedBar({ compose }: Pick<ComposeProps, 'compose'>) {
  const { suggested } = compose
  const state = suggested.state.value
  const is_gone = state?.kind === 'written' && compose.texts.reply.value === ''
  if (!state || is_gone) return null
  // The button with the focus goes, so the field gets it.
  const dismiss = () => {
    suggested.dismiss()
    compose.focus()
  }
  if (state.kind === 'failed') {
    return (
      <div class="composer-bar">
        <Trouble title={`${state.name} has no suggestion`} error={state.fault} />
        <Dismiss onClick={dismiss} />
      </div>
    )
  }
  const can_undo = state.kind === 'written' && compose.texts.reply.value.includes(state.answer)
  const undo = () => {
    suggested.undo()
    compose.focus()
  }
  return (
    <div class="composer-bar composer-suggested" role="status">
      <Icon name="spark" />
      <Words state={state} />
      <button type="button" class="link" onClick={can_undo ? undo : dismiss}>
        {state.kind === 'asking' ? 'Cancel' : can_undo ? 'Take it out' : 'OK'}
      </button>
    </div>
  )
}

function Words({ state }: { state: Exclude<SuggestedState, { kind: 'failed' }> }) {
  const name = <bdi>{state.name}</bdi>
  if (state.kind === 'asking') return <span>{name} is thinking about a reply…</span>
  if (state.kind === 'left')
    return (
      <span>
        {name} would leave this to people{state.reason ? `: ${reasonClause(state.reason)}` : ''}.
      </span>
    )
  return (
    <span>
      Suggested by {name}. Read it before you send it.{' '}
      {state.sources.length > 0 && <span class="faint">From: {state.sources.join(', ')}</span>}
    </span>
  )
}

function Dismiss({ onClick }: { onClick(): void }) {
  return (
    <button type="button" class="link" onClick={onClick}>
      OK
    </button>
  )
}
