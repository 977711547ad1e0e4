/** The forms of an event that a subscription can ask for, beside the whole event (`ParleyEvent`). */
import type { CloudEvent, EventsByType, EventType, ParleyEvent, ThinEventData } from './generated/types.ts'

/** With `payload: thin`: `data` has the paths of the event and of its record. `webhooks.getEvent(id)` gets the event. */
export type ThinEvent<Type extends EventType = EventType> = {
  [One in Type]: Omit<EventsByType[One], 'data'> & { data: ThinEventData }
}[Type]

/** With `format: cloudevents`. With `payload: thin`, too, it is `CloudEventOf<ThinEvent>`. */
export type CloudEventOf<Event extends { type: string; data: unknown } = ParleyEvent> = Event extends unknown
  ? Omit<CloudEvent, 'type' | 'data'> & Pick<Event, 'type' | 'data'>
  : never
