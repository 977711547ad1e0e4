/**
 * Consoles show that an assistant writes. Nodes tell each other over the bus, at most once, and keep nothing.
 */
import type { Bus } from '../../runtime/mod.ts'

/** The assistant writes an answer in the conversation of a ticket, or does not any more. Consoles forget it after eight seconds. */
export type AssistantTyping = { project_id: string; ticket_id: string; assistant_id: string; typing: boolean }

/** Milliseconds between two repetitions. */
const REPEATED_MS = 3_000

const typingOf = (project_id: string) => `assistant_typing.${project_id}`

/** Tells the consoles of the project. */
export function tellAssistantTyping(bus: Bus, typing: AssistantTyping): void {
  bus.publish(typingOf(typing.project_id), JSON.stringify(typing))
}

/** Hears which assistants of a project write. Resolves to a function that stops listening. */
export function hearAssistantTyping(
  bus: Bus,
  project_id: string,
  heard: (typing: AssistantTyping) => void,
): Promise<() => void> {
  return bus.listen(
    typingOf(project_id),
    (text) => heard(JSON.parse(text) as AssistantTyping),
    () => {},
  )
}

/** Tells at once that an assistant writes, and again until its work ends. The returned function ends it. */
export function showTyping(
  who: Omit<AssistantTyping, 'typing'>,
  tell: (typing: AssistantTyping) => unknown,
): (goes_on: boolean) => void {
  const say = (typing: boolean) => void tell({ ...who, typing })
  say(true)
  const timer = setInterval(say, REPEATED_MS, true).unref()
  return (goes_on) => {
    clearInterval(timer)
    if (!goes_on) say(false)
  }
}
