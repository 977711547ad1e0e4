/** Says above the field what became of a suggestion. */

import { Icon } from '../../../ui/pictures/icons.tsx'
import { Trouble } from '../../../ui/placeholders/trouble.tsx'
import type { ComposeProps } from '../compose_props.ts'
import type { SuggestedState } from './suggested_reply.ts'

export function SuggestedBar({ compose }: Pick<ComposeProps, 'compose'>) {
  const { suggested } = compose
  const state = suggested.state.value
  const is_gone = state?.kind === 'written' && compose.texts.reply.value === ''
  if (!state || is_gone) return null
  if (state.kind === 'failed') {
    return (
      <div class="composer-bar">
        <Trouble title={`${state.name} has no suggestion`} error={state.fault} />
        <Dismiss onClick={() => suggested.dismiss()} />
      </div>
    )
  }
  const act = () => (state.kind === 'written' ? suggested.undo() : suggested.dismiss())
  return (
    <div class="composer-bar composer-suggested" role="status">
      <Icon name="spark" />
      <Words state={state} />
      <button type="button" class="link" onClick={act}>
        {{ asking: 'Cancel', written: 'Take it out', left: 'OK' }[state.kind]}
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
        {name} would leave this to people{state.reason ? ` (${state.reason.replaceAll('_', ' ')})` : ''}.
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
