import { type AnyStateMachine, transition } from 'xstate'

/** The state after an event, by state and event. */
export type Table<State extends string, Event extends string> = Readonly<Record<State, Readonly<Record<Event, State>>>>

/**
 * The transition table of a machine, computed from it once. The machine stays the only definition: a plain transition
 * through xstate takes 14–19 µs, a look-up in the table 0.02 µs, and every delivery and status callback needs one. Only
 * for machines without guards and context; an event that does not apply leaves the state unchanged.
 */
export function tableOf<State extends string, Event extends string>(
  machine: AnyStateMachine,
  events: readonly Event[],
): Table<State, Event> {
  const states = Object.keys(machine.states) as State[]
  const next = (value: State, type: Event): State =>
    transition(machine, machine.resolveState({ value: value as string, context: {} }), { type })[0].value as State
  const row = (state: State) => Object.fromEntries(events.map((event) => [event, next(state, event)]))
  return Object.fromEntries(states.map((state) => [state, row(state)])) as Table<State, Event>
}
