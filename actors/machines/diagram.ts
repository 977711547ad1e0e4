import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate'

/** A flat machine as the text of a mermaid state diagram: one line per transition, `event [guard] / actions`. */
export function diagram(machine: AnyStateMachine): string {
  const states = Object.values(machine.states)
  const initial = machine.root.initial.target?.[0]
  return [
    'stateDiagram-v2',
    ...(initial ? [`  [*] --> ${initial.key}`] : []),
    ...states.flatMap((state) => [...state.transitions.values()].flat().map((one) => `  ${line(state, one)}`)),
    ...states.filter((state) => state.type === 'final').map((state) => `  ${state.key} --> [*]`),
  ].join('\n')
}

function line(source: AnyStateNode, { eventType, target, guard, actions }: AnyTransitionDefinition): string {
  const guarded = guard ? ` [${nameOf(guard)}]` : ''
  const acting = actions.length > 0 ? ` / ${actions.map(nameOf).join(', ')}` : ''
  return `${source.key} --> ${(target?.[0] ?? source).key}: ${eventType}${guarded}${acting}`
}

function nameOf(part: unknown): string {
  if (typeof part === 'string') return part
  const { type, name } = part as { type?: string; name?: string }
  return type ?? name ?? 'inline'
}
