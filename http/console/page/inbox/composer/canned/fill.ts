/** Variables of canned responses, such as `{{contact.first_name}}`. No DOM, no state. */
import type { AnyRecord } from '../../../records/record.ts'

/** Up to the next brace, so that a text is read once. */
const SPACED_VARIABLE = /( ?)\{\{([^{}]{1,64})\}\}/g

/** The variables of canned responses. Those without a value become empty. */
export function valuesOf({
  contact,
  agent,
  project,
}: {
  contact: AnyRecord | undefined
  agent: { full_name: string; email: string }
  project: { name: string }
}): Record<string, string> {
  const name = contact?.name ?? ''
  return {
    'contact.name': name,
    'contact.first_name': firstOf(name),
    'contact.phone': contact?.phone ?? '',
    'agent.name': agent.full_name,
    'agent.first_name': firstOf(agent.full_name),
    'agent.email': agent.email,
    'project.name': project.name,
  }
}

/**
 * A text with its variables filled. A name that is not among the values stays as it is, so that the agent sees it. One
 * without a value goes with the space before it: “Hello, …” for a person whose name nobody knows.
 */
export function fill(text: string, values: Record<string, string>) {
  return text.replace(SPACED_VARIABLE, (whole, space, name) => {
    const value = values[name.trim()] ?? whole.slice(space.length)
    return value && space + value
  })
}

function firstOf(name: string) {
  return name.trim().split(/\s+/)[0] ?? ''
}
